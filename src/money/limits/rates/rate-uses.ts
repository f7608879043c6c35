import { RecentUses, UntoldUses } from './recent-uses.ts'
import type { StoreClock } from './store-clock.ts'

/** What was used of a rate, as far as this process knows, and what of it the store has not been told. */
export class RateUses {
  readonly #windowMs: number
  readonly #recent: RecentUses
  readonly untold: UntoldUses
  readonly #clock: StoreClock
  /** What other processes held when the store was asked last. */
  #heldByOthers = 0
  /** Used before the store has said what time it is. */
  #undated = 0

  constructor(windowMs: number, clock: StoreClock) {
    this.#windowMs = windowMs
    this.#recent = new RecentUses(windowMs)
    this.untold = new UntoldUses(windowMs)
    this.#clock = clock
  }

  get isEmpty(): boolean {
    return this.untold.isEmpty && this.#undated === 0
  }

  add(amount: number): number | undefined {
    if (this.#clock.isKnown) return this.#addAt(amount, this.#clock.read())
    this.#undated += amount
    return undefined
  }

  #addAt(amount: number, at: number): number {
    this.#recent.add(amount, at)
    return this.untold.add(amount, at)
  }

  correct(less: number, slot: number): void {
    this.#recent.correct(less, slot)
    this.untold.correct(less, slot)
  }

  /** The store has said what counts. What was used while it answered comes on top. */
  heard(uses: readonly { used: number; endsAt: number }[], heldByOthers: number): void {
    this.#heldByOthers = heldByOthers
    this.#recent.replace(uses)
    for (const { used, endsAt } of this.untold.list) if (used > 0) this.#recent.add(used, endsAt - this.#windowMs)
    if (this.#undated > 0) this.#addAt(this.#undated, this.#clock.read())
    this.#undated = 0
  }

  /** How long until at least this much no longer counts. */
  endOf(amount: number): number {
    const end = this.#recent.endOf(amount)
    return Math.max(1, end === undefined ? this.#windowMs : this.#until(end))
  }

  remainingOf(cap: number): number {
    return Math.max(0, cap - this.#recent.sumAt(this.#clock.read()) - this.#heldByOthers)
  }

  /** How long until all of it is left again. */
  resetMs(cap: number): number {
    if (this.remainingOf(cap) === cap) return 0
    return this.#heldByOthers > 0 ? this.#windowMs : this.#until(this.#recent.lastEnd)
  }

  /** A use that a slow store granted is dated a little late. Nothing that was used until now has to wait longer than the window. */
  #until(end: number): number {
    return Math.min(this.#windowMs, end - this.#clock.read())
  }
}
