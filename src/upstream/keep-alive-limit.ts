import { performance } from 'node:perf_hooks'
import { WireFailure } from '../wire/wire.ts'

/**
 * Ends a stream that sends nothing but comments and pings for too long: they show that its provider is there, and not that
 * its answer goes on. This needs no timer, because every comment is a read, and silence has a limit of its own.
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
