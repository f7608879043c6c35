import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

// The wall clock of a machine may jump, and leases, deadlines and retries must not. `steady_ms()` counts with the machine's
// monotonic clock, which all its processes share. That clock starts again when the machine does, so the file remembers what
// to add to it in this run of the machine, and roughly what both clocks showed last.

/** How much time passes at most until what both clocks show is noted again. */
const NOTE_EVERY_MS = 5_000

export type ClockSources = {
  wallMs(): number
  /** Milliseconds of a clock that all processes share until the machine starts again. */
  machineMs(): number
  /** Identifies the run of the machine; empty if the system does not say. */
  bootId: string
}

type Row = { boot: string; offset: number; steady: number; wall: number }

const READ = 'SELECT boot, ahead AS "offset", steady, wall FROM store_clock'
const EXISTS = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'store_clock'"
const INSERT = 'INSERT INTO store_clock (boot, ahead, steady, wall) VALUES (?, ?, ?, ?)'

/** The clock of an SQLite file for everything that lasts. It never jumps and never goes back, also not after a restart. */
export class SqliteClock {
  readonly #database: DatabaseSync
  readonly #sources: ClockSources
  /** What to add to the machine's clock. */
  #offset: number | undefined
  #isAgreed = false
  #notedAt = 0

  constructor(database: DatabaseSync, sources: ClockSources = SOURCES) {
    this.#database = database
    this.#sources = sources
  }

  steadyMs(): number {
    this.#offset ??= this.#offsetFrom(this.#read())
    return this.#sources.machineMs() + this.#offset
  }

  /** Belongs at the start of every writing transaction, before a lease is written: all processes then count the same. */
  agree(): void {
    const isDue = this.#sources.machineMs() - this.#notedAt >= NOTE_EVERY_MS
    if (this.#isAgreed && !isDue) return
    if (!this.#database.prepare(EXISTS).get()) return
    this.#offset = this.#offsetFrom(this.#read())
    this.#note()
    this.#isAgreed = true
  }

  #note(): void {
    const { wallMs, machineMs, bootId } = this.#sources
    this.#notedAt = machineMs()
    this.#database.exec('DELETE FROM store_clock')
    this.#database.prepare(INSERT).run(bootId, this.#offset!, this.steadyMs(), wallMs())
  }

  #read(): Row | undefined {
    return this.#database.prepare(READ).get() as Row | undefined
  }

  /**
   * After a start of the machine, the clock goes on from where it was last seen. What has passed meanwhile is known from the
   * wall clock only; a wall clock that went back counts as no time.
   */
  #offsetFrom(row: Row | undefined): number {
    const { wallMs, machineMs, bootId } = this.#sources
    if (!row) return wallMs() - machineMs()
    if (row.boot === bootId && machineMs() + row.offset >= row.steady) return row.offset
    return row.steady + Math.max(0, wallMs() - row.wall) - machineMs()
  }
}

const NS_PER_MS = 1_000_000n

const SOURCES: ClockSources = {
  wallMs: Date.now,
  machineMs: () => Number(process.hrtime.bigint() / NS_PER_MS),
  bootId: readBootId(),
}

/** Only Linux has this file. Elsewhere, a start of the machine is noticed because its clock went back. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
