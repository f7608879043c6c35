/** What a process holds lasts at least this long without the store, at the speed at which it spends. It asks for more than that. */
const OUTAGE_MS = 50_000
const LEASE_LASTS_MS = 75_000
const FIRST_LEASE_NEEDS = 8
/** Spending is measured over at least this long. */
const MEASURE_MS = 250
/** Numbers stay exact, in JavaScript and in the store. */
export const MAX_LEASE = 1e15

/** How much a process should hold: enough for some calls, and for a time without the store at the speed at which it spends. */
export class LeaseSize {
  readonly #monotonic: () => number
  /** What was used up since the last measurement, and how fast that was before. */
  #usedUp = 0
  #measuredAt = Number.NaN
  #perMs = 0
  least = 0

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  used(amount: number): void {
    this.#usedUp += amount
  }

  /** A call needs this much. */
  need(amount: number): void {
    this.least = amount * FIRST_LEASE_NEEDS
  }

  next(): number {
    this.#measure()
    return Math.min(MAX_LEASE, Math.max(this.least, this.#perMs * LEASE_LASTS_MS))
  }

  /** When to ask for more. */
  get low(): number {
    return (this.next() * OUTAGE_MS) / LEASE_LASTS_MS
  }

  /** Speed that falls is believed slowly. */
  #measure(): void {
    const now = this.#monotonic()
    if (Number.isNaN(this.#measuredAt)) this.#measuredAt = now
    const passed = now - this.#measuredAt
    if (passed < MEASURE_MS) return
    this.#perMs = Math.max(this.#usedUp / passed, this.#perMs / 2)
    this.#usedUp = 0
    this.#measuredAt = now
  }
}
