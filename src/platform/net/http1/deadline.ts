import { performance } from 'node:perf_hooks'

/** A longer time means no limit, because timers cannot count further. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * A time limit that is moved all the time and hardly ever reached. Moving it only sets a number; a timer that fires early
 * checks the number and sleeps for the rest.
 */
export class Deadline {
  readonly #onDue: () => void
  #dueAt = Number.POSITIVE_INFINITY
  #firesAt = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(onDue: () => void) {
    this.#onDue = onDue
  }

  /** Returns when it is due. It is not moved beyond `latest`, nor made shorter by it. */
  set(ms: number, latest = Number.POSITIVE_INFINITY): number {
    const now = performance.now()
    this.#dueAt = now + ms <= latest ? now + ms : Math.max(this.#dueAt, latest)
    if (this.#dueAt < this.#firesAt) this.#sleep(now)
    return this.#dueAt
  }

  /** Removes the limit. The timer may fire once more, without effect. */
  lift(): void {
    this.#dueAt = Number.POSITIVE_INFINITY
  }

  /** Ends the deadline for good: setting it afterwards has no effect and leaves no timer behind. */
  end(): void {
    this.#firesAt = Number.NEGATIVE_INFINITY
    clearTimeout(this.#timer)
  }

  #sleep(now: number): void {
    clearTimeout(this.#timer)
    this.#firesAt = this.#dueAt
    this.#timer = setTimeout(() => this.#look(), Math.min(this.#dueAt - now, MAX_TIMER_MS))
  }

  #look(): void {
    const now = performance.now()
    this.#firesAt = Number.POSITIVE_INFINITY
    if (now >= this.#dueAt) this.#onDue()
    else if (this.#dueAt < Number.POSITIVE_INFINITY) this.#sleep(now)
  }
}
