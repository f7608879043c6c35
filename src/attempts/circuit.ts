/** Short enough that a provider is back within 30 s of its recovery, whenever in the period it recovers. */
export const OPEN_MS = 20_000

export type CircuitState = 'closed' | 'open' | 'half-open'

/** One circuit: some failures in a row open it, after a while one call is let through to see, and a success closes it. */
export class Circuit {
  failures = 0
  /** Nobody is sent there before. */
  openUntil = 0
  /** Since when one call is on its way to see whether it is well again. */
  probedAt = 0
  /** The reason that it is open or set aside for, as an outcome. */
  because = ''

  /** A probe that never came back does not keep the circuit open for ever. */
  stateAt(now: number): CircuitState {
    if (this.openUntil === 0) return 'closed'
    if (this.openUntil > now) return 'open'
    return this.probedAt > 0 && now - this.probedAt < OPEN_MS ? 'open' : 'half-open'
  }

  begin(now: number): void {
    if (this.openUntil > 0) this.probedAt = now
  }

  undecided(): void {
    this.probedAt = 0
  }

  failed(because: string, now: number, openAfter: number): void {
    this.failures++
    this.because = because
    const wasProbe = this.openUntil > 0
    if (wasProbe || this.failures >= openAfter) this.openUntil = now + OPEN_MS
    this.probedAt = 0
  }

  coolDown(until: number, because: string): void {
    this.openUntil = Math.max(this.openUntil, until)
    this.because = because
    this.probedAt = 0
  }
}
