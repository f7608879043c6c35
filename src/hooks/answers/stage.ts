import type { ChatChunk, ChatCompletion } from '../../contract/chat-reply.ts'

/** One post hook at work on one completion, which comes whole or in chunks. */
export type Stage = {
  whole(completion: ChatCompletion): Promise<ChatCompletion>
  /** What can be passed on now. */
  feed(chunks: ChatChunk[]): ChatChunk[]
  /** What is left. */
  end(): Promise<ChatChunk[]>
  readonly changed: boolean
}

/** One stage whose results go through another. */
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

/** A chunk like this one, with something else in it. */
export function chunkLike(chunk: ChatChunk, choices: ChatChunk['choices']): ChatChunk {
  const { usage: _, cost: __, gatehouse: ___, provider: ____, ...head } = chunk
  return { ...head, choices }
}

/** Whether it carries more than a piece of an answer: the first chunk says who answers. */
export function tellsMore({ provider, gatehouse }: ChatChunk): boolean {
  return provider !== undefined || gatehouse !== undefined
}
