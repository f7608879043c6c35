import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'
import { ByteQueue } from '../bytes/byte-queue.ts'
import { type WireEvent, WireFailure } from '../wire/wire.ts'
import { nextBatch } from './batch.ts'

/** More than this without a whole event is no stream of tokens any more; image events stay far below. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024
/** A line that comes in tiny pieces is handed on in larger ones. */
const MAX_PARTIAL_BYTES = 16 * 1024
/** What one read may bring at once: a turn of the loop lies between this many events and the next. */
const MAX_BATCH = 512
/** An event that is longer is much work for everybody. */
const LARGE_BYTES = 256 * 1024
const LF = 10
const CR = 13

/** Told how many bytes of an unfinished event are held; gives back what has to be waited for before more are read. */
export type Reach = (bytes: number) => Promise<void> | undefined

/**
 * Server-sent events of a body, batched as the bytes arrived: one network read is one batch, so that what came in one
 * packet can leave in one write. UTF-8 is decoded as a stream; a character cut by a packet border stays whole.
 */
export class EventReader {
  readonly #body: AsyncIterator<Uint8Array>
  readonly #decoder = new StringDecoder('utf8')
  // Without `onError`: an error for each line that makes no sense would cost more than all the reading.
  readonly #parser = createParser({ onEvent: (event) => this.#batch.push(event) })
  /** The beginning of a line, in bytes. */
  readonly #partial = new ByteQueue()
  readonly #reach: Reach | undefined
  #batch: WireEvent[] = []
  #bytesSinceEvent = 0
  #ended = false

  constructor(body: AsyncIterable<Uint8Array>, reach?: Reach) {
    this.#body = body[Symbol.asyncIterator]()
    this.#reach = reach
  }

  /** The next events; undefined when the body has ended. */
  async next(): Promise<WireEvent[] | undefined> {
    if (this.#batch.length > 0) return await this.#restOfBatch()
    while (!this.#ended) {
      const { done, value } = await this.#body.next()
      const text = done ? this.#lastText() : this.#wholeLines(value)
      const waiting = this.#reach?.(this.#bytesSinceEvent)
      if (waiting) await waiting
      if (text !== '') this.#parser.feed(text)
      if (this.#batch.length === 0) continue
      // What was gathered for long is handed on in a turn of its own: parsing it takes as long again.
      return this.#bytesSinceEvent > LARGE_BYTES ? await this.#restOfBatch() : this.#take()
    }
    return undefined
  }

  /** Whoever reads no further closes, and so ends the other side's work. */
  close(): void {
    void this.#body.return?.()
  }

  async #restOfBatch(): Promise<WireEvent[]> {
    await nextBatch()
    return this.#take()
  }

  #take(): WireEvent[] {
    this.#bytesSinceEvent = 0
    if (this.#batch.length > MAX_BATCH) return this.#batch.splice(0, MAX_BATCH)
    const batch = this.#batch
    this.#batch = []
    return batch
  }

  /** What may hold the end of a line; nothing where there is none. */
  #wholeLines(bytes: Uint8Array): string {
    this.#bytesSinceEvent += bytes.length
    if (this.#bytesSinceEvent > MAX_EVENT_BYTES) throw new WireFailure('protocol')
    const isWhole = bytes.includes(LF) || bytes.includes(CR)
    if (isWhole && this.#partial.length === 0) return this.#decoder.write(bytes as Buffer)
    this.#partial.push(bytes)
    return isWhole || this.#partial.length > MAX_PARTIAL_BYTES ? this.#decoder.write(this.#partial.takeAll()) : ''
  }

  /** A last event whose blank line never came: an honest sender always ends it, so it is fed as if it had been. */
  #lastText(): string {
    this.#ended = true
    return `${this.#decoder.write(this.#partial.takeAll())}${this.#decoder.end()}\n\n`
  }
}
