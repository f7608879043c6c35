import type { FinishReason } from '../../contract/chat-reply.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { Note } from '../chat-codec.ts'

// How an answer ended. Our format has five words for it; the provider's own word is passed on where none of them fits.

const NOTE = Symbol('the note about the end of an answer')

/** The members of a choice that say how it ended. */
export type Ending = { finish_reason: FinishReason | null; native_finish_reason?: string; [NOTE]?: Note }

/** The model has not finished its turn, although nothing failed: it goes on when its caller sends the answer back. */
const UNFINISHED: ReadonlySet<string> = new Set(['pause_turn', 'compaction', 'pause', 'paused', 'incomplete'])

/** A word that is not known but says that the answer did not end by itself. */
const FAILED = /error|fail|abort|cancel|interrupt|time_?out/i

/** The ending for a provider's own word, given ours for it, if there is one. */
export function endingOf(reason: string, known: FinishReason | undefined): Ending {
  if (known) return { finish_reason: known }
  if (FAILED.test(reason)) throw new UpstreamProblem('server_error', `the provider ended its answer with ${reason}`)
  return UNFINISHED.has(reason) ? unfinished(reason) : unknownEnding(reason)
}

/** `length` is the only word of our format for an answer that is not complete and did not fail. */
export function unfinished(reason: string): Ending {
  const why = `the provider ended with ${reason}: the model has not finished its turn`
  return { finish_reason: 'length', native_finish_reason: reason, [NOTE]: noteOf(why) }
}

function unknownEnding(reason: string): Ending {
  const why = `the provider ended with ${reason}, which is not known here: the model may not have finished its turn`
  return { finish_reason: 'stop', native_finish_reason: reason, [NOTE]: noteOf(why) }
}

function noteOf(reason: string): Note {
  return { field: 'finish_reason', action: 'translated', reason }
}

/** The notes about the ends of these choices. */
export function notesOfEnds(choices: readonly object[]): Note[] {
  return choices.flatMap((choice) => (choice as { [NOTE]?: Note })[NOTE] ?? [])
}

/** The end of a stream came without a finish reason. Nobody knows whether the model had finished. */
export function endedWithoutReason(marker: string): UpstreamProblem {
  const line = '"habits": { "endsWithoutReason": "always" }'
  const advice = `If all of its answers end like this, add ${line} to the provider's entry in the config file`
  return new UpstreamProblem('cut', `the provider sent ${marker} without a finish reason. ${advice}`)
}
