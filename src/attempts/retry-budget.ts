// Retries help against hiccups and hurt in an outage: when everything fails, everything would be sent again. So calls beyond
// the first are paid from a purse that every request fills a little. Each owner has a purse of its own: whose requests fail
// uses up nobody else's retries.

const PER_REQUEST = 0.2
const TO_BEGIN_WITH = 3
/** What good times can save up for bad ones. */
const MAX = 100
const MAX_OWNERS = 10_000

type Purse = { left: number }

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
    if (purse.left < MAX) purse.left += this.#perRequest
  }

  take(owner: string): boolean {
    const purse = this.#purses.get(owner) ?? this.#open(owner)
    // Fifths do not add up exactly: five of them are one retry.
    if (purse.left < 1 - 1e-9) return false
    purse.left--
    return true
  }

  /** The oldest makes room. Whoever comes when there is none begins with nothing: it may have been here before. */
  #open(owner: string): Purse {
    const isFull = this.#purses.size >= MAX_OWNERS
    if (isFull) this.#purses.delete(this.#purses.keys().next().value!)
    const purse = { left: isFull ? 0 : this.#toBeginWith }
    this.#purses.set(owner, purse)
    return purse
  }
}
