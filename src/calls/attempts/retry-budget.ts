// Retries help with short disruptions and do harm in an outage, when every request would be sent again. So retries are paid
// from a budget that every request fills a little. Each owner has its own budget, so that an owner whose requests fail does
// not use up the retries of others.

const PER_REQUEST = 0.2
const TO_BEGIN_WITH = 3
/** How many retries can be saved up. */
const MAX = 100
const MAX_OWNERS = 10_000

type Purse = { remaining: number }

export class RetryBudget {
  readonly #perRequest: number
  readonly #toBeginWith: number
  readonly #purses = new Map<string, Purse>()

  constructor({ toBeginWith = TO_BEGIN_WITH, perRequest = PER_REQUEST } = {}) {
    this.#toBeginWith = toBeginWith
    this.#perRequest = perRequest
  }

  request(owner: string): void {
    const purse = this.#purses.get(owner) ?? this.#open(owner)
    if (purse.remaining < MAX) purse.remaining += this.#perRequest
  }

  take(owner: string): boolean {
    const purse = this.#purses.get(owner) ?? this.#open(owner)
    // Five fifths do not add up to exactly 1 in floating point, but they are one retry.
    if (purse.remaining < 1 - 1e-9) return false
    purse.remaining--
    return true
  }

  /** The oldest entry makes room. An owner that comes when the map is full begins with nothing, because it may have been evicted before. */
  #open(owner: string): Purse {
    const isFull = this.#purses.size >= MAX_OWNERS
    if (isFull) this.#purses.delete(this.#purses.keys().next().value!)
    const purse = { remaining: isFull ? 0 : this.#toBeginWith }
    this.#purses.set(owner, purse)
    return purse
  }
}
