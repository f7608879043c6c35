import type { FinishReason } from '../../../contract/chat-reply.ts'
import { toText } from '../../../base/schema/to-primitive.ts'
import { type AnswerChoice, type AnswerPiece, Internal } from '../../wire/answer.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { Note } from '../chat-codec.ts'
import { meaningOf } from './reason-words.ts'

// How an answer ended, for all dialects: properly (`stop`, `tool_calls`, `function_call`), cut (`length`, `content_filter`), or
// failed, which is an error. Our format has five words for it; the provider's own word is passed on where none of them fits.

/** A word is a word: no provider needs more, and it is sent to callers. */
const MAX_WORD_CHARS = 100

/** The members of a choice that say how it ended. The reason is null if the provider has not said any. */
export type Ending = Pick<AnswerPiece, 'endNote'> & {
  finish_reason: FinishReason | null
  native_finish_reason?: string
}

export const UNSAID: Ending = { finish_reason: null }

/**
 * The ending for a provider's own word. Throws if the word says that the answer failed. A word that is not known never is a
 * proper end, because the model may have been stopped.
 */
export function endingOf(reason: unknown): Ending {
  // Nearly all chunks of a stream.
  if (!reason) return UNSAID
  const word = toText(reason).slice(0, MAX_WORD_CHARS)
  const meaning = meaningOf(word)
  if (meaning === undefined) return cut(word, `the provider ended with ${word}, which is not known here: ${PERHAPS}`)
  if (meaning === 'unsaid') return word === '' || word === 'null' ? UNSAID : { ...UNSAID, native_finish_reason: word }
  if (meaning === 'unfinished') return unfinished(word)
  if (typeof meaning === 'string') return { finish_reason: meaning }
  throw new UpstreamProblem(meaning.failed, `the provider ended its answer with ${word}`)
}

/** `length` is the only word of our format for an answer that is not complete and did not fail. */
export function unfinished(word: string): Ending {
  return cut(word, `the provider ended with ${word}: the model has not finished its turn`)
}

const PERHAPS = 'the model may not have finished its turn'

function cut(word: string, why: string): Ending {
  return { finish_reason: 'length', native_finish_reason: word, endNote: new Internal(why) }
}

/** The end of a whole answer without a reason. Its text is worth something, and nothing says that it is all of it. */
export function unknownEnd(): Ending {
  const why = `the provider sent no finish reason: ${PERHAPS}. ${ADVICE}`
  return { finish_reason: 'length', endNote: new Internal(why) }
}

/** The notes about the ends of these choices. */
export function notesOfEnds(choices: readonly (AnswerChoice | AnswerPiece)[]): Note[] {
  const reasons = choices.flatMap(({ endNote }) => Internal.read(endNote) ?? [])
  return reasons.map((reason) => ({ field: 'finish_reason', action: 'translated', reason }))
}

const ADVICE =
  'If all of its answers end like this, add "compat": { "endsWithoutReason": "always" } to the provider\'s entry in the config file'

/** The end of a stream came without a finish reason. It is unknown whether the model had finished. */
export function endedWithoutReason(marker: string): UpstreamProblem {
  return new UpstreamProblem('cut', `the provider sent ${marker} without a finish reason. ${ADVICE}`)
}
