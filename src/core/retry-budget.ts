// Retries help against hiccups and hurt in an outage: when everything fails, everything would be sent again. So calls beyond
// the first are paid from a purse that every request fills a little.

const PER_REQUEST = 0.2
const TO_BEGIN_WITH = 3
/** What good times can save up for bad ones. */
const MOST = 100

export class RetryBudget {
  readonly #perRequest: number
  #left: number

  constructor({ toBeginWith = TO_BEGIN_WITH, perRequest = PER_REQUEST } = {}) {
    this.#left = toBeginWith
    this.#perRequest = perRequest
  }

  request(): void {
    if (this.#left < MOST) this.#left += this.#perRequest
  }

  take(): boolean {
    // Fifths do not add up exactly: five of them are one retry.
    if (this.#left < 1 - 1e-9) return false
    this.#left--
    return true
  }
}
