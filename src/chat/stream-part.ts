import type { ChatCall } from '../dialects/chat-codec.ts'
import type { ChatAttempt, ChatTarget } from '../routing/route.ts'
import { leftChat } from '../upstream/left-chat.ts'
import { settle } from '../upstream/settle.ts'
import type { OpenStream } from '../upstream/first-chunks.ts'
import type { Overlap } from './overlap.ts'
import type { StreamUsage } from './stream-usage.ts'

/** After its last event, a provider has this long to end the body. Then its socket is closed instead of reused. */
const CLOSING_MS = 1_000

/** A target that has begun to stream its answer. */
export type OpenedStream = {
  attempt: ChatAttempt
  stream: OpenStream
  /** The targets that could continue if this one breaks off. */
  left: readonly ChatTarget[]
}

/** One target's part of a streamed answer. */
export type StreamPart = OpenedStream & { streamUsage: StreamUsage; overlap?: Overlap | undefined }

/** Adds what a target has cost. If its part did not come to its end, it may have written more than was seen. */
export function settlePart({ attempt, stream, streamUsage }: StreamPart, input: ChatCall): void {
  const isWhole = stream.decoder.ended && (streamUsage.usage !== undefined || !attempt.call.signal.aborted)
  streamUsage.requests = stream.requests
  streamUsage.left = isWhole ? undefined : leftChat(attempt, input, streamUsage.seen)
  settle(attempt, input.request, streamUsage)
}

/** Returns the socket to the pool. That needs the end of the body, which follows the last event soon if at all. */
export function release({ decoder, events }: OpenStream): void {
  if (!decoder.done) return events.close()
  const timer = setTimeout(() => events.close(), CLOSING_MS)
  events
    .next()
    .catch(() => undefined)
    .finally(() => {
      clearTimeout(timer)
      // The provider may have sent more events. Only a body that has ended has returned its socket.
      events.close()
    })
}
