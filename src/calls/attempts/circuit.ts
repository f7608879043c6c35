/** Short enough that a provider is used again within 30 s of its recovery, at whatever moment it recovers. */
export const OPEN_MS = 20_000

export type CircuitState = 'closed' | 'open' | 'half-open'

/** Some failures in a row open the circuit. After a while one call is let through as a probe, and a success closes it. */
export class Circuit {
  failures = 0
  /** Until then, no call goes to the target. */
  openUntil = 0
  /** When the running probe began: the call that finds out whether the target has recovered. */
  probedAt = 0
  /** Why the circuit is open or cooling down, as the outcome of an attempt. */
  because = ''
  /** The process that opened the circuit and told us, as long as no call of our own has failed. */
  learnedFrom: string | undefined

  /** A probe that never ends does not keep the circuit open forever. */
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
    this.learnedFrom = undefined
    const wasProbe = this.openUntil > 0
    if (wasProbe || this.failures >= openAfter) this.openUntil = now + OPEN_MS
    this.probedAt = 0
  }

  coolDown(until: number, because: string): void {
    this.openUntil = Math.max(this.openUntil, until)
    this.because = because
    this.learnedFrom = undefined
    this.probedAt = 0
  }

  /** Another process has opened its circuit of this target. A circuit that we opened ourselves stays ours. */
  learn({ until, because, from }: LearnedOpening): void {
    if (this.openUntil > 0 && !this.learnedFrom) return
    this.openUntil = Math.max(this.openUntil, until)
    this.because = because
    this.learnedFrom = from
  }

  /** The other process has closed its circuit, or is gone. */
  unlearn(from: string): void {
    if (this.learnedFrom !== from) return
    this.openUntil = 0
    this.because = ''
    this.learnedFrom = undefined
    this.probedAt = 0
  }

  get isBlank(): boolean {
    return this.failures === 0 && this.openUntil === 0
  }
}

export type LearnedOpening = { until: number; because: string; from: string }
