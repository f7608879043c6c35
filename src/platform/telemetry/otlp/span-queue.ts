import type { Batch } from './exporter.ts'
import type { Packing } from './format.ts'
import { SpanBatch } from './span-batch.ts'

/** Something that has ended, and that spans say something about. */
export type SpanSource = {
  /** How many spans it has. */
  readonly spans: number
  encode(): readonly string[]
}

export type QueueLimits = {
  /** Spans that may wait. What comes when the queue is full is dropped. */
  readonly queueSize: number
  /** Spans of one request. As soon as so many wait, they are sent. */
  readonly batchSize: number
  /** How long a span waits for others. */
  readonly delayMs: number
}

type QueueOptions = QueueLimits & {
  packing: Packing
  send(batch: Batch): Promise<void>
  dropped(count: number): void
}

const FIRST_BATCH_BYTES = 16 * 1024
const ROOM_FOR_LONGER_SPANS = 16 * 1024

/** A bounded queue of spans on their way to the collector. No call ever waits for it: it drops spans and counts them. */
export class SpanQueue {
  readonly #options: QueueOptions
  /** What has ended in this turn of the event loop. */
  #ended: SpanSource[] = []
  #open: SpanBatch
  readonly #full: Batch[] = []
  #spans = 0
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined

  constructor(options: QueueOptions) {
    this.#options = options
    this.#open = new SpanBatch(options.packing, FIRST_BATCH_BYTES)
  }

  /** The spans are encoded at the end of the turn, all together, and not in the middle of an answer. */
  add(source: SpanSource): void {
    const { queueSize, dropped } = this.#options
    if (this.#spans + source.spans > queueSize) return dropped(source.spans)
    this.#spans += source.spans
    if (this.#ended.push(source) === 1) setImmediate(() => this.#encodeEnded())
  }

  /** Sends everything that waits now. */
  async flush(): Promise<void> {
    this.#encodeEnded()
    while (this.#full.length + this.#open.count > 0) {
      this.#startSending()
      await this.#sending
      this.#encodeEnded()
    }
    await this.#sending
  }

  #encodeEnded(): void {
    const ended = this.#ended
    this.#ended = []
    for (const source of ended) {
      this.#encode(source)
      if (this.#open.count >= this.#options.batchSize) this.#full.push(this.#takeOpen())
    }
    if (this.#full.length > 0) this.#startSending()
    else this.#sendLater()
  }

  /** What cannot be encoded is dropped and counted: telemetry never ends the gateway, nor keeps a flush from ending. */
  #encode(source: SpanSource): void {
    try {
      for (const span of source.encode()) this.#open.add(span)
    } catch {
      this.#spans -= source.spans
      this.#options.dropped(source.spans)
    }
  }

  #takeOpen(): Batch {
    const batch = this.#open.finish()
    this.#open = new SpanBatch(this.#options.packing, batch.body.length + ROOM_FOR_LONGER_SPANS)
    return batch
  }

  #sendLater(): void {
    if (this.#open.count === 0) return
    this.#timer ??= setTimeout(() => this.#startSending(), this.#options.delayMs).unref()
  }

  #startSending(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
  }

  /** One request at a time. What arrives meanwhile waits until it is a batch, or for its time. */
  async #sendAll(): Promise<void> {
    do {
      const batch = this.#full.shift() ?? this.#takeOpen()
      this.#spans -= batch.count
      await this.#options.send(batch)
    } while (this.#full.length > 0)
    this.#sendLater()
  }
}
