import type { ChatChunk, Usage } from '../contract/chat-reply.ts'
import type { ChatDecoder } from '../dialects/chat-codec.ts'
import type { Events, OpenStream } from '../upstream/first-chunks.ts'
import type { WireEvent } from '../wire/wire.ts'
import { StreamUsage } from './stream-usage.ts'

/** Merges streams of one choice each into one stream of several choices. Each is paid by its own order. */
export function mergeStreams(streams: OpenStream[]): OpenStream {
  const decoder = new MergedDecoder(streams.map((stream) => stream.decoder))
  const first = streams.flatMap(({ first }, of) => first.map((chunk) => decoder.number(chunk, of)))
  const noteContent = () => {
    for (const stream of streams) stream.noteContent?.()
  }
  const orders = streams.flatMap((stream, of) => stream.orders.map((one) => ({ ...one, seen: decoder.seen[of]! })))
  return { first, decoder, events: new MergedEvents(streams.map((stream) => stream.events)), orders, noteContent }
}

/** An event, and the index of the stream that it came from. */
type NumberedEvent = WireEvent & { of: number }

/** Events of several streams, in the order in which they arrive. */
class MergedEvents implements Events {
  readonly #streams: readonly Events[]
  readonly #waiting = new Map<number, Promise<{ of: number; batch: WireEvent[] | undefined }>>()

  constructor(streams: readonly Events[]) {
    this.#streams = streams
    for (const of of streams.keys()) this.#wait(of)
  }

  async next(): Promise<NumberedEvent[] | undefined> {
    while (this.#waiting.size > 0) {
      const { of, batch } = await Promise.race(this.#waiting.values())
      this.#waiting.delete(of)
      if (!batch) continue
      this.#wait(of)
      return batch.map((event) => ({ ...event, of }))
    }
    return undefined
  }

  close(): void {
    for (const stream of this.#streams) stream.close()
  }

  #wait(of: number) {
    const arriving = this.#streams[of]!.next().then((batch) => ({ of, batch }))
    // The next call of next() gets the failure. Until then the rejection has no handler, and must not count as unhandled.
    arriving.catch(() => undefined)
    this.#waiting.set(of, arriving)
  }
}

class MergedDecoder implements ChatDecoder {
  readonly #decoders: readonly ChatDecoder[]
  /** What was seen of each stream. */
  readonly seen: readonly StreamUsage[]

  constructor(decoders: readonly ChatDecoder[]) {
    this.#decoders = decoders
    this.seen = decoders.map(() => new StreamUsage())
  }

  get ended(): boolean {
    return this.#decoders.every(({ ended }) => ended)
  }

  get done(): boolean {
    return this.#decoders.every(({ done }) => done)
  }

  get malformed(): number {
    return this.#decoders.reduce((sum, { malformed }) => sum + malformed, 0)
  }

  feed(event: WireEvent): ChatChunk[] {
    const { of } = event as NumberedEvent
    return this.#decoders[of]!.feed(event).map((chunk) => this.number(chunk, of))
  }

  /** Each stream reports its own tokens, possibly several times. The last report of each is the right one. */
  number(chunk: ChatChunk, of: number): ChatChunk {
    this.seen[of]!.add(chunk)
    for (const choice of chunk.choices) choice.index = of
    return chunk.usage ? { ...chunk, usage: sumOf(this.seen.map(({ usage }) => usage)) } : chunk
  }
}

/** The sum of several usages; null if one of them is unknown. */
export function sumOf(usages: readonly (Usage | null | undefined)[]): Usage | null {
  const known = usages.filter((usage) => usage != null)
  if (known.length < usages.length) return null
  return known.reduce((sum, usage) => added(sum, usage) as Usage)
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
