import type { Usage } from '../../contract/chat-reply.ts'
import { AfterEnds } from '../../translation/dialects/answer/after-ends.ts'
import type { ChatDecoder } from '../../translation/dialects/chat-codec.ts'
import { type Events, isHarmlessAfterEnd, type OpenStream } from '../../calls/upstream/first-chunks.ts'
import { isNews } from '../../calls/upstream/has-content.ts'
import type { AnswerChunk } from '../../translation/wire/answer.ts'
import type { WireEvent } from '../../translation/wire/wire.ts'
import { release } from './stream-part.ts'
import { StreamUsage } from './stream-usage.ts'

/** A stream of one choice, and when its first chunks were here, on the monotonic clock. */
export type BegunStream = { stream: OpenStream; begunAt: number }

/** Merges streams of one choice each into one stream of several choices. Each is paid by its own order. */
export function mergeStreams(begun: readonly BegunStream[], monotonic: () => number): OpenStream {
  const merged = new MergedStream(begun.map((one, index) => new OneOfMany(one, index, monotonic)))
  return { first: merged.first(), decoder: merged, events: merged, orders: merged.orders }
}

/**
 * Events of several streams, in the order in which they arrive. If one breaks off, the whole answer has failed, but the others are
 * read to their ends: only their last events say what they cost.
 */
class MergedStream implements Events, ChatDecoder {
  readonly #streams: readonly OneOfMany[]
  /** The stream that the latest events are of. They are decoded before others are read. */
  #latest: OneOfMany | undefined

  constructor(streams: readonly OneOfMany[]) {
    this.#streams = streams
  }

  first(): AnswerChunk[] {
    return this.#streams.flatMap((stream) => stream.first().map((chunk) => this.#withSum(chunk)))
  }

  get orders(): OpenStream['orders'] {
    return this.#streams.flatMap(({ orders }) => orders)
  }

  async next(): Promise<WireEvent[] | undefined> {
    for (;;) {
      const arriving = this.#streams.flatMap((stream) => stream.read() ?? [])
      if (arriving.length === 0) break
      this.#latest = await Promise.race(arriving)
      const batch = this.#latest.take()
      if (batch) return batch
    }
    const broken = this.#streams.find(({ failure }) => failure !== undefined)
    if (broken) throw broken.failure
    return undefined
  }

  close(): void {
    for (const stream of this.#streams) stream.close()
  }

  get ended(): boolean {
    return this.#streams.every(({ ended, failure }) => ended && failure === undefined)
  }

  get done(): boolean {
    return this.#streams.every(({ done, failure }) => done && failure === undefined)
  }

  get malformed(): number {
    return this.#streams.reduce((sum, { malformed }) => sum + malformed, 0)
  }

  feed(event: WireEvent): AnswerChunk[] {
    return this.#latest?.feed(event).map((chunk) => this.#withSum(chunk)) ?? []
  }

  /** Each stream reports its own tokens, possibly several times. The last report of each is the right one. */
  #withSum(chunk: AnswerChunk): AnswerChunk {
    return chunk.usage ? { ...chunk, usage: sumOf(this.#streams.map(({ seen }) => seen.usage)) } : chunk
  }
}

class OneOfMany {
  readonly seen: StreamUsage
  /** Why it broke off. */
  failure: unknown
  readonly #stream: OpenStream
  readonly #index: number
  readonly #monotonic: () => number
  readonly #after = new AfterEnds()
  #reading: Promise<OneOfMany> | undefined
  #batch: WireEvent[] | undefined
  #askedAt = 0
  #arrivedAt = 0
  /** Nothing more is read of it. */
  #isOver = false

  constructor({ stream, begunAt }: BegunStream, index: number, monotonic: () => number) {
    this.seen = new StreamUsage(begunAt)
    this.#stream = stream
    this.#index = index
    this.#monotonic = monotonic
  }

  first(): AnswerChunk[] {
    return this.#stream.first.map((chunk) => this.#number(chunk))
  }

  get orders(): OpenStream['orders'] {
    const own = { seen: this.seen, decoder: this.#stream.decoder }
    return this.#stream.orders.map((one) => ({ ...one, own }))
  }

  get ended(): boolean {
    return this.#stream.decoder.ended
  }

  get done(): boolean {
    return this.#stream.decoder.done
  }

  get malformed(): number {
    return this.#stream.decoder.malformed
  }

  /** Resolves when events can be taken, or it has ended. Undefined if nothing more is read of it. */
  read(): Promise<OneOfMany> | undefined {
    if (!this.#isOver && this.done && !this.#reading) {
      this.#isOver = true
      release(this.#stream)
    }
    if (!this.#isOver) this.#reading ??= this.#readOnce()
    return this.#reading
  }

  async #readOnce(): Promise<OneOfMany> {
    this.#askedAt = this.#monotonic()
    try {
      this.#batch = await this.#stream.events.next()
      this.#isOver = this.#batch === undefined
    } catch (error) {
      this.#breakOff(error)
    }
    this.#arrivedAt = this.#monotonic()
    return this
  }

  /** The events that have arrived; undefined if it has ended. */
  take(): WireEvent[] | undefined {
    const batch = this.#batch
    this.#batch = undefined
    this.#reading = undefined
    return batch
  }

  feed(event: WireEvent): AnswerChunk[] {
    if (this.#isOver) return []
    try {
      const chunks = this.#stream.decoder.feed(event)
      if (isNews(event, chunks)) this.#noteContent()
      return chunks.map((chunk) => this.#number(chunk))
    } catch (error) {
      this.#breakOff(error)
      return []
    }
  }

  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stream.events.close()
  }

  /** What breaks after the end of an answer takes nothing away from it. */
  #breakOff(error: unknown): void {
    const isWhole = this.ended && !this.#after.hasMore
    if (!isWhole || !isHarmlessAfterEnd(error)) this.failure = error
    this.close()
  }

  #noteContent(): void {
    this.seen.noteRead(this.#askedAt, this.#arrivedAt)
    this.#stream.noteContent?.()
  }

  #number(chunk: AnswerChunk): AnswerChunk {
    this.seen.add(chunk)
    for (const choice of chunk.choices) {
      this.#after.note(choice)
      choice.index = this.#index
    }
    return chunk
  }
}

/** The sum of several usages; null if one of them is unknown. */
export function sumOf(usages: readonly (Usage | null | undefined)[]): Usage | null {
  const reported = usages.filter((usage) => usage != null)
  if (reported.length < usages.length) return null
  return reported.reduce((sum, usage) => added(sum, usage) as Usage)
}

function added(one: object, other: object): object {
  const sum: Record<string, unknown> = { ...one }
  for (const [name, value] of Object.entries(other)) {
    const before = sum[name]
    if (typeof value === 'number') sum[name] = typeof before === 'number' ? before + value : value
    else if (value && typeof value === 'object') sum[name] = added((before ?? {}) as object, value)
  }
  return sum
}
