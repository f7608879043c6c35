import type { AnswerChunk, AnswerPiece } from '../../wire/answer.ts'
import type { TextCompletion } from '../../../contract/legacy/completions.ts'
import { NOTHING } from '../event-text.ts'
import { completionId, type Echo, echoOf, legacyEnd } from './from-completion.ts'
import { legacyLogprobs } from './logprobs.ts'

/** Writes the chunks of a chat as the events of a text completion. */
export class CompletionEvents {
  readonly #echo: Echo
  /** The characters of each completion so far. */
  readonly #lengths = new Map<number, number>()

  constructor(echo: Echo) {
    this.#echo = echo
  }

  chunks(chunks: readonly AnswerChunk[]): string {
    const events = chunks.flatMap((chunk) => this.#event(chunk))
    return events.length > 0 ? events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') : NOTHING
  }

  end(): string {
    return 'data: [DONE]\n\n'
  }

  /** A chunk with nothing but a role has no place in this format. */
  #event({ object: _, choices, id, ...rest }: AnswerChunk): TextCompletion[] {
    const written = choices.flatMap((choice) => this.#choice(choice))
    const isEmpty = written.length === 0 && (choices.length > 0 || !rest.usage) && !rest.gatehouse
    return isEmpty ? [] : [{ ...rest, id: completionId(id), object: 'text_completion', choices: written }]
  }

  #choice({ index, delta, logprobs, ...end }: AnswerPiece): TextCompletion['choices'] {
    const before = this.#lengths.get(index)
    const prompt = before === undefined ? echoOf(this.#echo, index) : ''
    const text = `${prompt}${delta.content ?? ''}${delta.refusal ?? ''}`
    const offset = (before ?? 0) + prompt.length
    this.#lengths.set(index, (before ?? 0) + text.length)
    if (text === '' && !end.finish_reason && logprobs == null) return []
    return [{ text, index, logprobs: legacyLogprobs(logprobs, offset), ...legacyEnd(end) }]
  }
}
