import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'
import { ByteQueue } from '../../base/bytes/byte-queue.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { type WireEvent, WireFailure } from '../../translation/wire/wire.ts'
import { nextBatch } from './batch.ts'
import { MB } from '../../base/units/units.ts'

/** More bytes than this without a complete event are not a stream of tokens. Image events stay far below. */
const MAX_EVENT_BYTES = 32 * MB
/** A line that arrives in tiny pieces is passed on in larger ones. */
const MAX_PARTIAL_BYTES = 16 * 1024
/** The event loop gets a turn after this many events of one read. */
const MAX_BATCH = 512
/** A longer event is a lot of work, so it gets a turn of its own. */
const LARGE_BYTES = 256 * 1024
/** What the decoder puts in the place of bytes that are not UTF-8, and the same character as a sender writes it. */
const REPLACEMENT = '\ufffd'
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT).toString('latin1')
const LF = 10
const CR = 13

/** Called with the number of bytes of an incomplete event that are held. Returns what to wait for before more are read. */
export type Reach = (bytes: number) => Promise<void> | undefined

/**
 * Reads the server-sent events of a body, batched as the bytes arrived: one network read is one batch, so that events from
 * one packet can leave in one write. UTF-8 is decoded as a stream, so a character that is split between packets stays
 * intact.
 */
export class EventReader {
  readonly #body: AsyncIterator<Uint8Array>
  readonly #decoder = new StringDecoder('utf8')
  // There is no `onError`: creating an error for each invalid line would cost more than all the reading.
  readonly #parser = createParser({ onEvent: (event) => this.#batch.push(event) })
  /** The bytes of an incomplete line. */
  readonly #partial = new ByteQueue()
  readonly #reach: Reach | undefined
  #batch: WireEvent[] = []
  #bytesSinceEvent = 0
  #isAtLineStart = true
  /** The bytes that were decoded before: a character may be split. */
  #lastBytes: Uint8Array = new Uint8Array()
  /** It is thrown after the events that came before it. */
  #failure: UpstreamProblem | undefined
  #ended = false

  constructor(body: AsyncIterable<Uint8Array>, reach?: Reach) {
    this.#body = body[Symbol.asyncIterator]()
    this.#reach = reach
  }

  /** Returns the next events, or undefined when the body has ended. */
  async next(): Promise<WireEvent[] | undefined> {
    if (this.#batch.length > 0) return await this.#restOfBatch()
    while (!this.#ended && !this.#failure) {
      const { done, value } = await this.#body.next()
      const text = done ? this.#lastText() : this.#wholeLines(value)
      const waiting = this.#reach?.(this.#bytesSinceEvent)
      if (waiting) await waiting
      if (text !== '') this.#parser.feed(this.#withFieldNames(text))
      if (done) this.#dropCutEvent()
      if (this.#batch.length === 0) continue
      // A long event gets a turn of its own, because parsing it takes as long again.
      return this.#bytesSinceEvent > LARGE_BYTES ? await this.#restOfBatch() : this.#take()
    }
    if (this.#failure) throw this.#failure
    return undefined
  }

  /** A reader that stops early has to close, which also stops the provider's work. */
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

  /** The text up to the last line end, or nothing if there is none. */
  #wholeLines(bytes: Uint8Array): string {
    this.#bytesSinceEvent += bytes.length
    if (this.#bytesSinceEvent > MAX_EVENT_BYTES) throw new WireFailure('protocol')
    const isWhole = bytes.includes(LF) || bytes.includes(CR)
    if (isWhole && this.#partial.length === 0) return this.#decode(bytes)
    this.#partial.push(bytes)
    return isWhole || this.#partial.length > MAX_PARTIAL_BYTES ? this.#decode(this.#partial.takeAll()) : ''
  }

  /** Text before bytes that are not UTF-8 is read. After them, a part of the answer is lost. */
  #decode(bytes: Uint8Array): string {
    const text = this.#decoder.write(bytes as Buffer)
    const before = this.#lastBytes
    this.#lastBytes = bytes
    const at = text.indexOf(REPLACEMENT)
    if (at < 0) return text
    const end = before.subarray(-(REPLACEMENT_BYTES.length - 1))
    const received = Buffer.concat([end, bytes]).toString('latin1')
    if (countOf(received, REPLACEMENT_BYTES) === countOf(text, REPLACEMENT)) return text
    this.#failure = new UpstreamProblem('garbage', 'the provider sent bytes that are not UTF-8')
    return text.slice(0, at)
  }

  /**
   * Some servers omit the name of the field before their JSON. Parsers pass over such a line, and a part of the answer would
   * be lost.
   */
  #withFieldNames(text: string): string {
    const first = this.#isAtLineStart && text.startsWith('{') ? 'data: ' : ''
    this.#isAtLineStart = text.endsWith('\n')
    return text.includes('\n{') ? first + text.replaceAll('\n{', '\ndata: {') : first + text
  }

  /** Completes a last event whose blank line never came, as if its sender had ended it properly. */
  #lastText(): string {
    this.#ended = true
    const text = this.#decode(this.#partial.takeAll())
    return this.#failure ? text : `${text}${this.#decoder.end()}\n\n`
  }

  /** If the body ended in the middle of its last event, the event is not read: the stream was cut. */
  #dropCutEvent(): void {
    const data = this.#batch.at(-1)?.data
    if (data?.startsWith('{') && !isJson(data)) this.#batch.pop()
  }
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
