import type { Database } from '../store/database.ts'
import { insertUsage, type UsageRow } from '../store/usage.ts'

export type LedgerLine = UsageRow

// One line per call. Lines are collected in memory and written in batches, off the hot path. Lines that cannot be written are
// kept and tried again, up to a limit.

const FLUSH_MS = 1_000
const FLUSH_ROWS = 1_000
const BATCH_ROWS = 5_000
const MAX_ROWS = 100_000

export class Ledger {
  readonly #db: Database
  #rows: LedgerLine[] = []
  #writing: Promise<void> | undefined
  #isUnavailable = false
  #timer: NodeJS.Timeout | undefined
  /** Lines that were dropped because the database was unavailable for too long. */
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
    // While the database is unavailable, only the timer retries: a retry with all waiting lines for every call would be too slow.
    if (this.#rows.length >= FLUSH_ROWS && !this.#isUnavailable) void this.flush()
  }

  get waiting(): number {
    return this.#rows.length
  }

  /** Writes all waiting lines. A batch that fails goes back to the front and ends the round. Row ids make repeated writes harmless. */
  flush(): Promise<void> {
    if (this.#rows.length > 0) this.#writing ??= this.#writeAll()
    return this.#writing ?? Promise.resolve()
  }

  async #writeAll(): Promise<void> {
    this.#isUnavailable = false
    while (this.#rows.length > 0 && !this.#isUnavailable) {
      const batch = this.#rows.splice(0, BATCH_ROWS)
      await insertUsage(this.#db, batch).catch(() => {
        this.#rows.unshift(...batch)
        this.#isUnavailable = true
      })
    }
    this.#writing = undefined
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }
}
