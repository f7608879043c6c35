import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'
import { leftChat } from '../../calls/upstream/abandoned-chat.ts'
import { billOf, type Observed } from '../../calls/upstream/chat-bill.ts'
import { type ChatInput, withFilesOf } from '../../calls/upstream/chat-input.ts'
import type { OpenStream, SeenAnswer } from '../../calls/upstream/first-chunks.ts'
import type { Overlap } from './overlap.ts'
import type { StreamUsage } from './stream-usage.ts'

/** After its last event, a provider has this long to end the body. Then its socket is closed instead of reused. */
const CLOSING_MS = 1_000

/** A target that has begun to stream its answer. */
export type OpenedStream = {
  attempt: ChatAttempt
  stream: OpenStream
  /** The targets that could continue if this one breaks off. */
  remaining: readonly ChatTarget[]
}

/** One target's part of a streamed answer. */
export type StreamPart = OpenedStream & { streamUsage: StreamUsage; overlap?: Overlap | undefined }

/**
 * Pays for a target's part of the answer. If the part did not come to its end, the target may have written more than was seen; it was
 * left if its caller has gone.
 */
export function payForPart({ attempt, stream, streamUsage }: StreamPart, input: ChatInput): void {
  const isGone = attempt.call.signal.aborted
  for (const { order, request, own } of stream.orders) {
    if (!order.isOpen) continue
    const { seen, decoder } = own ?? { seen: streamUsage, decoder: stream.decoder }
    const isWhole = decoder.ended && (seen.usage !== undefined || !isGone)
    const of = request === input.request ? input : withFilesOf(input, { request })
    const abandoned = isWhole ? undefined : leftChat(attempt, of, seen.seen)
    const bill = billOf(attempt, request, { ...observedIn(seen), abandoned })
    if (abandoned && isGone) order.left(bill)
    else order.delivered(bill)
  }
}

function observedIn({ usage, model, serviceTier, chars }: SeenAnswer): Observed {
  return { usage, model, serviceTier, chars }
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
