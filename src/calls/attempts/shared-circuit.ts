import { Circuit, type CircuitState, type LearnedOpening, OPEN_MS } from './circuit.ts'

/** This many owners have to agree before a circuit opens for everyone. */
const AGREEING_OWNERS = 2
/** An owner's failures count for others for this long. */
const AGREE_MS = 60_000

/** One owner's failures at one target. */
export class OwnCircuits {
  readonly plain = new Circuit()
  /** For requests with the caller's own headers or fields: failures because of these say nothing about other requests. */
  customized: Circuit | undefined
  /** Failures since the last success of any owner, and the time of the newest: this owner's share in opening for everyone. */
  failures = 0
  failedAt = 0
  /** Until when the target rate-limits this owner. */
  coolingDownUntil = 0
  /** The value of `SharedCircuit.period` in which these were recorded. */
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

  /** The circuit for requests with the caller's own headers or fields, which is made when it is first needed. */
  get customizedCircuit(): Circuit {
    this.customized ??= new Circuit()
    return this.customized
  }

  get isBlank(): boolean {
    return this.plain.isBlank && this.failures === 0 && this.coolingDownUntil === 0 && this.customized === undefined
  }

  #enter(period: number): void {
    if (this.#period === period) return
    this.#period = period
    this.failures = 0
    this.coolingDownUntil = 0
  }
}

/**
 * One target with one credential, as seen by all owners. It opens for everyone when owners agree. Then each owner may try
 * whether the target has recovered, a few owners at a time. A failed trial keeps only its own owner away.
 */
export class SharedCircuit {
  readonly owners = new Map<string, OwnCircuits>()
  openUntil = 0
  because = ''
  /** The process that told us that the circuit is open for everyone, as long as we have not found out ourselves. */
  learnedFrom: string | undefined
  /** When each owner's trial began. */
  readonly #trials = new Map<string, number>()
  /** A new period begins with every success and every opening. What happened before it no longer counts. */
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

  /** Returns whether the owner had a trial. */
  endTrial(owner: string): boolean {
    return this.#trials.delete(owner)
  }

  /** Opens for everyone if two owners have each failed often enough, or if as many owners have failed as one owner may have failures. */
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

  /** Cools down for everyone for as long as two owners are rate-limited. */
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
    this.learnedFrom = undefined
    this.#trials.clear()
    this.period++
  }

  learn({ until, because, from }: LearnedOpening): void {
    if (this.openUntil > 0 && !this.learnedFrom) return
    this.open(until, because)
    this.learnedFrom = from
  }

  unlearn(from: string): void {
    if (this.learnedFrom === from) this.close()
  }

  close(): void {
    this.openUntil = 0
    this.because = ''
    this.learnedFrom = undefined
    this.#trials.clear()
    this.period++
  }
}
