import type { Batch } from './exporter.ts'

/** Spans that are encoded when they are sent, and not while a caller waits. */
export type SpanSource = {
  /** How many spans it has. */
  readonly spans: number
  encode(): string[]
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
  send(batch: Batch): Promise<void>
  wrap(spans: readonly string[]): string
  dropped(count: number): void
}

/** A bounded queue of spans on their way to the collector. Nobody ever waits for it: it drops and counts. */
export class SpanQueue {
  readonly #options: QueueOptions
  #waiting: SpanSource[] = []
  #spans = 0
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined

  constructor(options: QueueOptions) {
    this.#options = options
  }

  add(source: SpanSource): void {
    const { queueSize, batchSize, dropped } = this.#options
    if (this.#spans + source.spans > queueSize) return dropped(source.spans)
    this.#waiting.push(source)
    this.#spans += source.spans
    if (this.#spans >= batchSize) this.#startSending()
    else this.#timer ??= setTimeout(() => this.#startSending(), this.#options.delayMs).unref()
  }

  /** Sends everything that waits now. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#startSending()
      await this.#sending
    }
    await this.#sending
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
    // Not in the turn of the event loop in which a caller is answered.
    await new Promise((resolve) => setImmediate(resolve))
    do await this.#options.send(this.#takeBatch())
    while (this.#spans >= this.#options.batchSize)
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#startSending(), this.#options.delayMs).unref()
  }

  #takeBatch(): Batch {
    let sources = 0
    let count = 0
    while (sources < this.#waiting.length && count < this.#options.batchSize) count += this.#waiting[sources++]!.spans
    const taken = this.#waiting.splice(0, sources)
    this.#spans -= count
    return { body: this.#options.wrap(taken.flatMap((source) => source.encode())), count }
  }
}
