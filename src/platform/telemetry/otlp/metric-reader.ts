import type { MetricFamily } from '../metric-families.ts'
import type { Around } from './envelope.ts'
import type { Batch } from './exporter.ts'
import { encodeFamily, type Window } from './metric.ts'

type ReaderOptions = {
  intervalMs: number
  families(): readonly MetricFamily[]
  window(): Window
  around: Around
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
    const { families, window, around, send } = this.#options
    const all = families()
    const encoded = all.flatMap((family) => encodeFamily(family, window()) ?? [])
    const count = all.reduce((sum, family) => sum + family.points().length, 0)
    if (encoded.length > 0) await send({ body: `${around.before}${encoded.join(',')}${around.after}`, count })
  }
}
