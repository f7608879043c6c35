import type { FinishReason } from '../../../contract/chat-reply.ts'
import { type AnswerChunk, type AnswerPiece, isNative } from '../../wire/answer.ts'
import { AfterEnds } from './after-ends.ts'
import { saysSomething } from './says-something.ts'

// A provider may send more after a finish reason: the rest of its text, or another reason. So the end of a streamed answer is
// passed on last, when the stream itself has ended.

/** The later in this list, the less of an answer there is. A worse reason replaces a better one. */
const WORSE: readonly FinishReason[] = ['stop', 'function_call', 'tool_calls', 'length', 'content_filter']

export class DeferredEnds {
  readonly #after = new AfterEnds()
  /** The chunks that end answers, by the numbers of these. */
  readonly #ends = new Map<number, AnswerChunk>()

  /** A part of an answer came after its reason. */
  get hasMore(): boolean {
    return this.#after.hasMore
  }

  /** Whether a chunk is passed on as it is, which nearly all are. */
  passes({ choices }: AnswerChunk): boolean {
    if (this.#after.hasEnds) return false
    for (const { finish_reason } of choices) if (finish_reason) return false
    return true
  }

  /** Keeps the ends in a chunk, and returns what can be passed on now. The writers of the provider's own events keep these themselves. */
  take(chunk: AnswerChunk): AnswerChunk[] {
    for (const choice of chunk.choices) this.#after.note(choice)
    if (isNative(chunk)) return [chunk]
    return chunk.choices.flatMap((choice, at) => this.#takeChoice(onlyWith(chunk, choice, at), choice))
  }

  /** The ends of all answers. */
  release(): AnswerChunk[] {
    const ends = [...this.#ends.values()]
    this.#ends.clear()
    return ends
  }

  #takeChoice(chunk: AnswerChunk, choice: AnswerPiece): AnswerChunk[] {
    const before = this.#ends.get(choice.index)
    if (before) return this.#takeMore(before, chunk)
    if (!choice.finish_reason) return [chunk]
    this.#ends.set(choice.index, chunk)
    return []
  }

  /** What was held back with the first reason has its turn before what follows. */
  #takeMore(before: AnswerChunk, chunk: AnswerChunk): AnswerChunk[] {
    const isWorse = rankOf(chunk) > rankOf(before)
    this.#ends.set(chunk.choices[0]!.index, endOf(isWorse ? chunk : before))
    return [before, chunk].filter(({ choices }) => saysSomething(choices[0]!.delta)).map(contentOf)
  }
}

function rankOf({ choices: [choice] }: AnswerChunk): number {
  return choice?.finish_reason ? WORSE.indexOf(choice.finish_reason) : -1
}

/** The first of several choices keeps what else is in the chunk. */
function onlyWith(chunk: AnswerChunk, choice: AnswerPiece, at: number): AnswerChunk {
  if (chunk.choices.length === 1) return chunk
  const { gatehouse, ...rest } = chunk
  return { ...rest, choices: [choice], ...(at === 0 && gatehouse && { gatehouse }) }
}

function contentOf(chunk: AnswerChunk): AnswerChunk {
  const { index, delta, logprobs } = chunk.choices[0]!
  return { ...chunk, choices: [{ index, delta, finish_reason: null, ...(logprobs && { logprobs }) }] }
}

function endOf(chunk: AnswerChunk): AnswerChunk {
  const { logprobs: _, ...choice } = chunk.choices[0]!
  return { ...chunk, choices: [{ ...choice, delta: {} }] }
}
