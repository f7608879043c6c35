import { type AnswerChunk, Internal, type NativeEvent } from '../../translation/wire/answer.ts'
import { parseToSend } from '../../translation/json/exact-numbers.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { valueBytes } from '../../translation/json/value-bytes.ts'
import { type Fields, isRecord } from '../../base/schema/record.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { WireEvent } from '../../translation/wire/wire.ts'
import { WrappedDecoder } from '../../translation/dialects/answer/wrapped-decoder.ts'
import { isReply } from '../../translation/dialects/gemini/reply.ts'
import { isContentEvent } from './has-content.ts'

/** The limit for consecutive events that decode to nothing. A provider that exceeds it is not going to send an answer. */
const MAX_SILENT_BYTES = 16_000_000

/** For chunks of the same event as the one before. */
const NO_EVENTS = new Internal<readonly NativeEvent[]>([])
const NO_REPLIES = new Internal<readonly Fields[]>([])

/** Between the end of an answer and the last event there is nothing else of it. */
const CLOSING: ReadonlySet<string> = new Set(['message_delta', 'message_stop'])

/**
 * Keeps the provider's own events with the chunks. Content that our format does not have, such as a search of the provider,
 * travels with an empty chunk; any other event that decodes to nothing travels with the next chunk.
 */
export class NativeEventsDecoder extends WrappedDecoder {
  #events: NativeEvent[] = []
  #bytes = 0

  protected read(event: WireEvent): AnswerChunk[] {
    const hadEnded = this.inner.ended
    const decoded = this.inner.feed(event)
    const value = tryParse(event.data, parseToSend)
    const isNative = isNativeEvent(value) && !(hadEnded && decoded.length === 0 && !CLOSING.has(value.type))
    const chunks = decoded.length === 0 && isNative && isContentEvent(value) ? [emptyChunk()] : decoded
    if (isNative) this.#keep(value, chunks.length > 0)
    for (const chunk of chunks) chunk.nativeEvents = NO_EVENTS
    if (chunks[0]) chunks[0].nativeEvents = new Internal(this.#events.splice(0))
    return chunks
  }

  #keep(value: NativeEvent, isReported: boolean): void {
    this.#events.push(value)
    this.#bytes = isReported ? 0 : this.#bytes + valueBytes(value)
    if (this.#bytes > MAX_SILENT_BYTES)
      throw new UpstreamProblem('garbage', 'the provider sends events that say nothing')
  }
}

/** The same for the Gemini format, whose events are replies: each of them travels at once, also if it decodes to nothing. */
export class NativeRepliesDecoder extends WrappedDecoder {
  protected read(event: WireEvent): AnswerChunk[] {
    const hadEnded = this.inner.ended
    const decoded = this.inner.feed(event)
    const reply = tryParse(event.data, parseToSend)
    if (!isReply(reply)) return decoded
    const hasChoices = decoded.some(({ choices }) => choices.length > 0)
    // This format has no last event: candidates that add nothing to a complete answer are of another one.
    if (hadEnded && !hasChoices && reply.candidates !== undefined) return decoded
    // A chunk without choices goes no further than the gateway.
    const chunks = hasChoices ? decoded : [emptyChunk(), ...decoded]
    for (const chunk of chunks) chunk.nativeReplies = NO_REPLIES
    chunks[0]!.nativeReplies = new Internal([reply])
    return chunks
  }
}

function emptyChunk(): AnswerChunk {
  const choices = [{ index: 0, delta: {}, finish_reason: null }]
  return { id: '', object: 'chat.completion.chunk', created: 0, model: '', choices }
}

function isNativeEvent(value: unknown): value is NativeEvent {
  return isRecord(value) && typeof value.type === 'string'
}
