import { isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'
import { ByteQueue } from '../../base/bytes/byte-queue.ts'
import { type WireEvent, WireFailure } from '../../translation/wire/wire.ts'
import type { Reach } from './event-reader.ts'
import { MB } from '../../base/units/units.ts'

/** AWS allows 16 MB of payload and 128 KB of headers. A greater length is invalid, and no memory is reserved for it. */
const MAX_FRAME_BYTES = 17 * MB
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4

// Types of header values. All but these two have a fixed size.
const BYTES = 6
const STRING = 7
const VALUE_BYTES: Record<number, number> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }

/**
 * The events of a body in AWS's binary framing (`application/vnd.amazon.eventstream`), batched as the bytes arrived.
 * An event is named by its type; an exception is named `exception:<type>`, an error `error:<code>`.
 * https://smithy.io/2.0/aws/amazon-eventstream.html
 */
export class AwsEventStream {
  readonly #body: AsyncIterator<Uint8Array>
  readonly #buffered = new ByteQueue()
  /** How many bytes are needed before there is anything to read. Nothing is concatenated earlier. */
  #requiredBytes = PRELUDE_BYTES
  readonly #reach: Reach | undefined
  #failure: WireFailure | undefined

  constructor(body: AsyncIterable<Uint8Array>, reach?: Reach) {
    this.#body = body[Symbol.asyncIterator]()
    this.#reach = reach
  }

  /** Returns the next events, or undefined when the body has ended. A frame that is cut off by the end is ignored. */
  async next(): Promise<WireEvent[] | undefined> {
    for (;;) {
      if (this.#failure) throw this.#failure
      const { done, value } = await this.#body.next()
      if (done) return undefined
      const batch = this.#take(value)
      if (batch.length > 0) return batch
      const waiting = this.#reach?.(this.#buffered.length)
      if (waiting) await waiting
    }
  }

  /** A reader that stops early has to close, which also stops the provider's work. */
  close(): void {
    void this.#body.return?.()
  }

  #take(piece: Uint8Array): WireEvent[] {
    this.#buffered.push(piece)
    return this.#buffered.length < this.#requiredBytes ? [] : this.#readFrames(this.#buffered.takeAll())
  }

  /** Valid events before a broken frame are returned first, as they are if the two arrive separately. */
  #readFrames(bytes: Buffer): WireEvent[] {
    const batch: WireEvent[] = []
    let at = 0
    try {
      for (let size = sizeOfFrame(bytes); size <= bytes.length - at; size = sizeOfFrame(bytes.subarray(at))) {
        batch.push(readFrame(bytes.subarray(at, at + size)))
        at += size
      }
      this.#keep(bytes.subarray(at))
    } catch (error) {
      this.#failure = error instanceof WireFailure ? error : new WireFailure('protocol', error)
    }
    return batch
  }

  #keep(rest: Buffer): void {
    this.#buffered.push(rest)
    this.#requiredBytes = sizeOfFrame(rest)
  }
}

/**
 * The length of the frame that begins here, or of the prelude that states it. The length is trusted only with its checksum.
 */
function sizeOfFrame(bytes: Buffer): number {
  if (bytes.length < PRELUDE_BYTES) return PRELUDE_BYTES
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw new WireFailure('protocol')
  const size = bytes.readUInt32BE(0)
  const headers = bytes.readUInt32BE(4)
  if (size > MAX_FRAME_BYTES || PRELUDE_BYTES + headers + CHECKSUM_BYTES > size) throw new WireFailure('protocol')
  return size
}

function readFrame(frame: Buffer): WireEvent {
  const end = frame.length - CHECKSUM_BYTES
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) throw new WireFailure('protocol')
  const payloadStart = PRELUDE_BYTES + frame.readUInt32BE(4)
  const headers = readHeaders(frame.subarray(PRELUDE_BYTES, payloadStart))
  if (!isUtf8(frame.subarray(payloadStart, end))) throw new WireFailure('protocol')
  return toEvent(headers, frame.toString('utf8', payloadStart, end))
}

function toEvent(headers: Map<string, string>, payload: string): WireEvent {
  const kind = headers.get(':message-type')
  if (kind === 'exception') return { event: `exception:${headers.get(':exception-type') ?? ''}`, data: payload }
  if (kind !== 'error') return { event: headers.get(':event-type'), data: payload }
  // An error has its message in a header and usually no payload.
  const data = payload || JSON.stringify({ message: headers.get(':error-message') ?? '' })
  return { event: `error:${headers.get(':error-code') ?? ''}`, data }
}

/** The text headers of a frame; others are skipped. */
function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>()
  let at = 0
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at)
    const type = bytes.readUInt8(nameEnd)
    const { start, end } = valueRange(bytes, nameEnd + 1, type)
    if (end > bytes.length) throw new WireFailure('protocol')
    if (type === STRING) headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', start, end))
    at = end
  }
  return headers
}

function valueRange(bytes: Buffer, at: number, type: number): { start: number; end: number } {
  if (type === STRING || type === BYTES) return { start: at + 2, end: at + 2 + bytes.readUInt16BE(at) }
  const size = VALUE_BYTES[type]
  if (size === undefined) throw new WireFailure('protocol')
  return { start: at, end: at + size }
}
