import type { Answer, AnswerChunk, AnswerDelta, AnswerPiece } from '../../wire/answer.ts'

/** A post hook at work on one completion, which arrives whole or in chunks. */
export type Stage = {
  whole(completion: Answer): Promise<Answer>
  /** Returns what can be passed on now. */
  feed(chunks: AnswerChunk[]): AnswerChunk[]
  /** Returns the rest. */
  end(): Promise<AnswerChunk[]>
  readonly changed: boolean
}

/** Two stages as one: the second gets what the first lets through. */
export function inOrder(first: Stage, second: Stage): Stage {
  return {
    whole: async (completion) => second.whole(await first.whole(completion)),
    feed: (chunks) => second.feed(first.feed(chunks)),
    end: async () => [...second.feed(await first.end()), ...(await second.end())],
    get changed() {
      return first.changed || second.changed
    },
  }
}

/** A chunk with the same head and other choices. */
export function chunkLike(chunk: AnswerChunk, choices: AnswerChunk['choices']): AnswerChunk {
  const { usage: _, cost: __, gatehouse: ___, provider: ____, ...head } = chunk
  return { ...head, choices }
}

/**
 * A piece of an answer without the whole answer so far, which some providers repeat beside each piece: it still says what was taken out of
 * the pieces.
 */
export function withoutWhole(piece: AnswerPiece): AnswerPiece {
  if (!('message' in piece)) return piece
  const { message: _, ...rest } = piece
  return rest
}

/** Whether the chunk carries more than a piece of an answer: the first chunk names the provider. */
export function hasMetadata({ provider, gatehouse }: AnswerChunk): boolean {
  return provider !== undefined || gatehouse !== undefined
}

/** Takes a text out of a piece of an answer, with what only says something about this text. */
export function dropText(delta: AnswerDelta, name: 'content' | 'reasoning_content' | 'refusal'): void {
  delete delta[name]
  if (name === 'reasoning_content') delete delta.planStart
}
