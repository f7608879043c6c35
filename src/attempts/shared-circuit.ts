import { Circuit, type CircuitState, OPEN_MS } from './circuit.ts'

/** So many owners have to see the same before it holds for everyone. */
export const AGREEING_OWNERS = 2
/** What an owner saw counts for the others for this long. */
const AGREE_MS = 60_000

/** What one owner has met with at one target. */
export class OwnCircuits {
  readonly plain = new Circuit()
  /** For requests that carry the caller's own headers or fields: what fails because of them says nothing about the others. */
  customized: Circuit | undefined
  /** Failures since anybody's last success, and when the newest of them was: what this owner can say to the others. */
  failures = 0
  failedAt = 0
  /** Until when the target told this owner to wait. */
  coolingDownUntil = 0
  /** The value of `SharedCircuit.period` in which these were noted. */
  #period = 0

  noteFailure(now: number, period: number): void {
    this.#enter(period)
    this.failures++
    this.failedAt = now
  }

  noteCoolDown(until: number, period: number): void {
    this.#enter(period)
    this.coolingDownUntil = Math.max(this.coolingDownUntil, until)
  }

  failuresIn(period: number, now: number): number {
    return this.#period === period && now - this.failedAt <= AGREE_MS ? this.failures : 0
  }

  coolDownIn(period: number): number {
    return this.#period === period ? this.coolingDownUntil : 0
  }

  #enter(period: number): void {
    if (this.#period === period) return
    this.#period = period
    this.failures = 0
    this.coolingDownUntil = 0
  }
}

/**
 * One target with one credential as all owners see it. It opens for everyone when owners agree; then each owner may try
 * whether it is back, few at a time. One owner's failed trial keeps only that owner away.
 */
export class SharedCircuit {
  readonly owners = new Map<string, OwnCircuits>()
  openUntil = 0
  because = ''
  /** When each owner's trial began. */
  readonly #trials = new Map<string, number>()
  /** Begins anew with every success and with every opening: what was seen before does not count any more. */
  period = 0

  stateAt(now: number): CircuitState {
    if (this.openUntil === 0) return 'closed'
    return this.openUntil > now ? 'open' : 'half-open'
  }

  mayTry(owner: string, now: number): boolean {
    for (const [other, since] of this.#trials) if (now - since >= OPEN_MS) this.#trials.delete(other)
    return !this.#trials.has(owner) && this.#trials.size < AGREEING_OWNERS
  }

  beginTrial(owner: string, now: number): void {
    if (this.stateAt(now) === 'half-open') this.#trials.set(owner, now)
  }

  /** Whether the owner had one. */
  endTrial(owner: string): boolean {
    return this.#trials.delete(owner)
  }

  /** Opens for everyone where two owners have both failed often enough, or as many have failed as one may fail often. */
  noteFailure(own: OwnCircuits, because: string, now: number, openAfter: number): void {
    own.noteFailure(now, this.period)
    const enough = this.openUntil > 0 ? 1 : openAfter
    const many = Math.max(openAfter, AGREEING_OWNERS)
    let [failing, convinced] = [0, 0]
    for (const other of this.owners.values()) {
      const failures = other.failuresIn(this.period, now)
      if (failures > 0) failing++
      if (failures >= enough) convinced++
      if (convinced >= AGREEING_OWNERS || failing >= many) return this.open(now + OPEN_MS, because)
    }
  }

  /** Set aside for everyone for as long as two owners were told to wait. */
  noteCoolDown(own: OwnCircuits, because: string, until: number, now: number): void {
    own.noteCoolDown(until, this.period)
    let [longest, agreed] = [0, 0]
    for (const other of this.owners.values()) {
      const wait = other.coolDownIn(this.period)
      agreed = Math.max(agreed, Math.min(longest, wait))
      longest = Math.max(longest, wait)
    }
    if (agreed > now) this.open(agreed, because)
  }

  open(until: number, because: string): void {
    this.openUntil = Math.max(this.openUntil, until)
    this.because = because
    this.#trials.clear()
    this.period++
  }

  close(): void {
    this.openUntil = 0
    this.because = ''
    this.#trials.clear()
    this.period++
  }
}
