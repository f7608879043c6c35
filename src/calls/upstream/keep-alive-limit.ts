import { performance } from 'node:perf_hooks'
import { WireFailure } from '../../translation/wire/wire.ts'

type Limits = { headersMs: number; firstTokenMs: number; idleMs: number }

/**
 * How long a stream may bring nothing of its answer. While another model is left, comments and pings do not help a provider
 * longer than the waiting for its first word, or than silence. The last model loses nothing by going on.
 */
export function keepAliveMs({ headersMs, firstTokenMs, idleMs }: Limits, isLast: boolean): number {
  return Math.max(isLast ? headersMs : firstTokenMs, idleMs)
}

/**
 * Ends a stream that sends nothing but comments, pings and pieces of an event for too long: they show that its provider is
 * there, and not that its answer goes on. This needs no timer, because every comment is a read, and silence has a limit of its own.
 */
export class KeepAliveLimit {
  readonly #limitMs: number
  readonly #clock: () => number
  #since: number
  #hasContent = false

  constructor(limitMs: number, clock = () => performance.now()) {
    this.#limitMs = limitMs
    this.#clock = clock
    this.#since = clock()
  }

  /** A part of the answer has come. */
  noteContent(): void {
    this.#hasContent = true
  }

  /** Called for every read of the network. */
  noteRead(): void {
    const now = this.#clock()
    if (this.#hasContent) {
      this.#hasContent = false
      this.#since = now
    } else if (now - this.#since > this.#limitMs) throw new WireFailure('idle_timeout')
  }
}
