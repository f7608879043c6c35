import type { Database } from '../store/database.ts'
import { insertUsage, type UsageRow } from '../store/usage.ts'

// One line per call. Lines wait in memory and are written in batches, off the hot path; what cannot be written is kept
// and tried again, up to a bound.

const FLUSH_MS = 1_000
const FLUSH_ROWS = 500
const MAX_ROWS = 100_000

export class Ledger {
  readonly #db: Database
  #rows: UsageRow[] = []
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  /** Lines that found no room because the store was away for too long. */
  lost = 0

  constructor(db: Database) {
    this.#db = db
  }

  open(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS).unref()
  }

  record(row: UsageRow): void {
    if (this.#rows.length >= MAX_ROWS) {
      this.lost++
      return
    }
    this.#rows.push(row)
    if (this.#rows.length >= FLUSH_ROWS && !this.#writing) void this.flush()
  }

  get waiting(): number {
    return this.#rows.length
  }

  /** One batch at a time; a batch that fails goes back to the front of the queue. Row ids make a repeat harmless. */
  async flush(): Promise<void> {
    if (this.#writing) await this.#writing
    if (this.#rows.length === 0) return
    const batch = this.#rows
    this.#rows = []
    this.#writing = insertUsage(this.#db, batch)
      .catch(() => {
        this.#rows = batch.concat(this.#rows)
      })
      .finally(() => {
        this.#writing = undefined
      })
    await this.#writing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }
}
