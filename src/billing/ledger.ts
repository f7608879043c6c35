import type { Database } from '../store/database.ts'
import { insertUsage, type UsageRow } from '../store/usage.ts'

export type LedgerLine = UsageRow

// One line per call. Lines wait in memory and are written in batches, off the hot path; what cannot be written is kept
// and tried again, up to a bound.

const FLUSH_MS = 1_000
const FLUSH_ROWS = 1_000
const BATCH_ROWS = 5_000
const MAX_ROWS = 100_000

export class Ledger {
  readonly #db: Database
  #rows: LedgerLine[] = []
  #writing: Promise<void> | undefined
  #storeIsAway = false
  #timer: NodeJS.Timeout | undefined
  /** Lines that found no room because the store was away for too long. */
  lost = 0

  constructor(db: Database) {
    this.#db = db
  }

  open(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS).unref()
  }

  record(row: LedgerLine): void {
    if (this.#rows.length >= MAX_ROWS) {
      this.lost++
      return
    }
    this.#rows.push(row)
    // Of a store that is away only the timer asks: a try with all that waits, for every call, would cost more than the calls.
    if (this.#rows.length >= FLUSH_ROWS && !this.#storeIsAway) void this.flush()
  }

  get waiting(): number {
    return this.#rows.length
  }

  /** Writes all that waits. A batch that fails goes back to the front and ends the round; row ids make a repeat harmless. */
  flush(): Promise<void> {
    if (this.#rows.length > 0) this.#writing ??= this.#writeAll()
    return this.#writing ?? Promise.resolve()
  }

  async #writeAll(): Promise<void> {
    this.#storeIsAway = false
    while (this.#rows.length > 0 && !this.#storeIsAway) {
      const batch = this.#rows.splice(0, BATCH_ROWS)
      await insertUsage(this.#db, batch).catch(() => {
        this.#rows.unshift(...batch)
        this.#storeIsAway = true
      })
    }
    this.#writing = undefined
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }
}
