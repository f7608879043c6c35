import type { ChatChunk, ChatCompletion } from '../contract/chat-reply.ts'
import { keepEvents, replyIn } from '../contract/native-call.ts'
import { chunksOf } from '../dialects/answer/completion-chunks.ts'
import type { ChatDecoder } from '../dialects/chat-codec.ts'
import { isReply } from '../dialects/gemini/reply.ts'
import { messageAsEvents } from '../formats/messages/whole-events.ts'
import { isResponse } from '../formats/responses/read-response.ts'
import { responseAsEvents } from '../formats/responses/whole-events.ts'
import type { Fields } from '../schema/record.ts'
import type { Events, OpenStream } from './first-chunks.ts'

/** We requested a stream and got an answer in one piece. It is complete, so it is passed on as a stream that has ended. */
export function streamOfWhole(completion: ChatCompletion, orders: OpenStream['orders']): OpenStream {
  const chunks = chunksOf(completion)
  const native = replyIn(completion)
  return { first: native ? withOwnEvents(chunks, native) : chunks, events: NO_EVENTS, decoder: ENDED, orders }
}

/** A caller with the provider's own format gets the events of that format. */
function withOwnEvents(chunks: ChatChunk[], native: Fields): ChatChunk[] {
  const { content, end } = ownEvents(native)
  return chunks.map((chunk, at) => {
    const isEnd = chunk.choices.some(({ finish_reason }) => finish_reason)
    return keepEvents(chunk, at === 0 ? content : isEnd ? end : [])
  })
}

function ownEvents(native: Fields): { content: Fields[]; end: Fields[] } {
  if (isResponse(native)) return responseAsEvents(native)
  return isReply(native) ? { content: [native], end: [] } : messageAsEvents(native)
}

const NO_EVENTS: Events = { next: async () => undefined, close: () => {} }
const ENDED: ChatDecoder = { feed: () => [], ended: true, done: true, malformed: 0 }
