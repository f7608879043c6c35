import type { MetricFamily } from '../metric-families.ts'
import type { Batch } from './exporter.ts'
import type { Envelope, OtlpFormat, Window } from './format.ts'

type ReaderOptions = {
  intervalMs: number
  families(): readonly MetricFamily[]
  window(): Window
  format: OtlpFormat
  envelope: Envelope
  send(batch: Batch): Promise<void>
}

/** Pushes all metrics regularly, one push at a time: while the collector is away, the next push says the same and more. */
export class MetricReader {
  readonly #options: ReaderOptions
  readonly #timer: NodeJS.Timeout
  #pushing: Promise<void> | undefined

  constructor(options: ReaderOptions) {
    this.#options = options
    this.#timer = setInterval(() => void this.push(), options.intervalMs).unref()
  }

  push(): Promise<void> {
    this.#pushing ??= this.#send().finally(() => {
      this.#pushing = undefined
    })
    return this.#pushing
  }

  /** Stops, and pushes the last values. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#pushing
    await this.push()
  }

  async #send(): Promise<void> {
    const { families, window, format, envelope, send } = this.#options
    const { separator, charset, wrap } = format.packMetrics(envelope)
    const all = families()
    const encoded = all.flatMap((family) => format.metric(family, window()) ?? [])
    const count = all.reduce((sum, family) => sum + family.points().length, 0)
    if (encoded.length > 0) await send({ body: wrap(Buffer.from(encoded.join(separator), charset)), count })
  }
}
