import { type Answer, type AnswerChunk, Internal } from '../../translation/wire/answer.ts'
import { chunksOf } from '../../translation/dialects/answer/completion-chunks.ts'
import type { ChatDecoder } from '../../translation/dialects/chat-codec.ts'
import { isReply } from '../../translation/dialects/gemini/reply.ts'
import { messageAsEvents } from '../../translation/formats/messages/whole-events.ts'
import { isResponse } from '../../translation/formats/responses/read-response.ts'
import { responseAsEvents } from '../../translation/formats/responses/whole-events.ts'
import type { Fields } from '../../base/schema/record.ts'
import type { Events, OpenStream } from './first-chunks.ts'

/** We requested a stream and got an answer in one piece. It is complete, so it is passed on as a stream that has ended. */
export function streamOfWhole(completion: Answer, orders: OpenStream['orders']): OpenStream {
  const chunks = chunksOf(completion)
  const native = Internal.read(completion.nativeReply)
  if (native) addOwnEvents(chunks, native)
  return { first: chunks, events: NO_EVENTS, decoder: ENDED, orders }
}

/** A caller with the provider's own format gets the events of that format. */
function addOwnEvents(chunks: readonly AnswerChunk[], native: Fields): void {
  const isResponses = isResponse(native)
  if (!isResponses && isReply(native)) {
    for (const [at, chunk] of chunks.entries()) chunk.nativeReplies = new Internal(at === 0 ? [native] : [])
    return
  }
  const { content, end } = isResponses ? responseAsEvents(native) : messageAsEvents(native)
  for (const [at, chunk] of chunks.entries()) {
    const isEnd = chunk.choices.some(({ finish_reason }) => finish_reason)
    chunk.nativeEvents = new Internal(at === 0 ? content : isEnd ? end : [])
  }
}

const NO_EVENTS: Events = { next: async () => undefined, close: () => {} }
const ENDED: ChatDecoder = { feed: () => [], ended: true, done: true, malformed: 0 }
