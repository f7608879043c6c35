import type { Logger } from 'pino'
import type { Database } from '../store/database.ts'
import type { LedgerLine } from '../store/ledger/ledger-line.ts'
import type { Journal, JournalTrouble } from './journal.ts'
import type { Segment } from './journal-segment.ts'
import { insertOrSetAside, type SetAside } from './set-aside.ts'

// One line per call. The lines of calls that end together are appended to the journal with one write, before the last byte
// of their answers is sent. They are inserted into the store in batches, off the hot path. The store ignores a line that it
// already has, so a batch whose fate is unknown is inserted again.

const FLUSH_MS = 1_000
const BATCH_ROWS = 5_000
const TAKE_OVER_MS = 10_000
/** Lines that the journal refused are kept in memory. */
const MAX_LOOSE_ROWS = 50_000

export type LedgerOptions = {
  db: Database
  journal: Journal
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  maxLooseRows?: number
}

export class Ledger {
  readonly #db: Database
  readonly #journal: Journal
  readonly #log: LedgerOptions['log']
  readonly #maxLooseRows: number
  /** Lines of calls that have ended just now. */
  #ended: LedgerLine[] = []
  #loose: LedgerLine[] = []
  #writing: Promise<void> | undefined
  /** The write after the running one, for lines that came meanwhile. */
  #following: Promise<void> | undefined
  /** The latest write stopped at an insertion that failed. */
  #hasFailed = false
  /** The latest insertion failed, and the log says so. */
  #isAway = false
  #isLosing = false
  #isClosing = false
  readonly #timers: NodeJS.Timeout[] = []
  /** Lines that neither the disk nor the store took, and lines that the store refused because of what is in them. */
  lost = 0

  constructor({ db, journal, log, maxLooseRows = MAX_LOOSE_ROWS }: LedgerOptions) {
    this.#db = db
    this.#journal = journal
    this.#log = log
    this.#maxLooseRows = maxLooseRows
  }

  /** Takes over what processes that died have left, now and from time to time. */
  open(): void {
    this.#takeOver()
    this.#timers.push(setInterval(() => void this.flush(), FLUSH_MS).unref())
    this.#timers.push(setInterval(() => this.#takeOver(), TAKE_OVER_MS).unref())
    void this.flush()
  }

  /**
   * The line is on disk before anything that waits for the end of the call continues: the microtask that appends it was
   * queued first. Calls that end in one step of the event loop share one write.
   */
  record(row: LedgerLine): void {
    if (this.#ended.push(row) === 1) queueMicrotask(this.append)
  }

  /** Appends the lines of calls that have just ended. */
  readonly append = (): void => {
    if (this.#ended.length === 0) return
    const rows = this.#ended
    this.#ended = []
    const appended = this.#journal.append(rows)
    if (appended < rows.length) this.#keep(rows.slice(appended))
    // While the database is unavailable, only the timer retries: a retry with all waiting lines for every call would be too slow.
    if (this.waiting >= BATCH_ROWS && !this.#writing && !this.#hasFailed) void this.flush()
  }

  /** Lines of this process that the store does not have yet. */
  get waiting(): number {
    return this.#ended.length + this.#loose.length + this.#journal.lines
  }

  get journalBytes(): number {
    return this.#journal.bytes
  }

  /** Lines that the journal refused. The store may have taken them all the same. */
  get refused(): number {
    return this.#journal.refused
  }

  /** What an operator has to look at. */
  get trouble(): JournalTrouble | undefined {
    return this.#journal.trouble
  }

  /**
   * Writes the lines that wait now to the store, unless it is unavailable. It leaves lines that come meanwhile to the next flush:
   * otherwise a flush under load would never end, and would insert a few lines at a time, which takes more CPU.
   */
  flush(): Promise<void> {
    this.append()
    if (!this.#writing) return this.#write()
    // All flushes that come during a write share the next one. If they added to the running one, it would never end.
    this.#following ??= this.#writing.then(() => this.#follow())
    return this.#following
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#isClosing = true
    await this.flush()
    if (this.#loose.length > 0) this.#loose.splice(0, this.#journal.append(this.#loose))
    this.#closeJournal()
    this.#reportLeft()
  }

  #closeJournal(): void {
    try {
      this.#journal.close()
    } catch (error) {
      this.#log.error({ error: String(error) }, 'the journal of the ledger cannot be closed')
    }
  }

  #takeOver(): void {
    try {
      this.#journal.takeOver()
    } catch (error) {
      this.#log.error({ error: String(error) }, 'the journal of a process that has ended cannot be taken over')
    }
  }

  /** Keeps lines that the journal refused in memory, as far as there is space. */
  #keep(rows: LedgerLine[]): void {
    const kept = rows.slice(0, this.#maxLooseRows - this.#loose.length)
    this.#loose.push(...kept)
    if (kept.length < rows.length) this.#lose(rows.length - kept.length)
  }

  #lose(rows: number): void {
    if (!this.#isLosing) this.#log.error({ trouble: this.trouble }, 'ledger lines are being dropped')
    this.#isLosing = true
    this.lost += rows
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #follow(): Promise<void> {
    this.#following = undefined
    if (!this.#hasFailed) await this.#write()
  }

  async #writeAll(): Promise<void> {
    this.#hasFailed = false
    const wasAway = this.#isAway
    await this.#writeWaiting()
    // What came during the outage is in the current file, which was left open.
    if (wasAway && !this.#isAway) await this.#writeWaiting()
  }

  /** Writes what waits when it begins. */
  async #writeWaiting(): Promise<void> {
    // In an outage, each flush would leave a file of its own. But something has to be tried.
    if (!this.#isAway || !this.#hasLines()) this.#journal.seal()
    await this.#writeLoose(this.#loose.length)
    for (const segment of this.#journal.sealed()) {
      if (this.#hasFailed) return
      if (this.#isWanted(segment)) await this.#writeSegment(segment)
    }
  }

  #hasLines(): boolean {
    return this.#loose.length > 0 || this.#journal.sealed().some((segment) => this.#isWanted(segment))
  }

  /** A closing ledger leaves what is only on disk to the next start. */
  #isWanted(segment: Segment): boolean {
    return !this.#isClosing || segment.rows !== undefined
  }

  async #writeSegment(segment: Segment): Promise<void> {
    const rows = segment.rows ?? (await this.#read(segment))
    if (rows && (await this.#insert(rows))) this.#remove(segment)
  }

  /** A file that stays does no harm: its lines are known. On a disk that has become read-only, every file stays. */
  #remove(segment: Segment): void {
    try {
      this.#journal.remove(segment)
    } catch (error) {
      this.#log.error({ file: segment.path, error: String(error) }, 'a file of the journal cannot be removed')
    }
  }

  async #writeLoose(rows: number): Promise<void> {
    for (let left = rows; left > 0; left -= BATCH_ROWS) {
      const batch = this.#loose.slice(0, Math.min(left, BATCH_ROWS))
      if (!(await this.#insert(batch))) return
      this.#loose.splice(0, batch.length)
      if (this.#isLosing) this.#log.info({ lost: this.lost }, 'ledger lines are kept again')
      this.#isLosing = false
    }
  }

  async #read(segment: Segment): Promise<LedgerLine[] | undefined> {
    try {
      const { rows, damaged } = await segment.read()
      if (damaged > 0)
        this.#log.warn({ file: segment.path, damaged }, 'a file of the journal has lines that are cut off or damaged')
      return rows
    } catch (error) {
      this.#log.error({ file: segment.path, error: String(error) }, 'a file of the journal cannot be read')
      this.#journal.skip(segment)
      return undefined
    }
  }

  readonly #setAside: SetAside = (row, error) => {
    this.lost++
    const file = this.#journal.setAside(row)
    this.#log.error({ id: row.id, file, error: String(error) }, 'the store refuses a ledger line, and it is set aside')
  }

  /** Returns false if the store is unavailable. */
  async #insert(rows: readonly LedgerLine[]): Promise<boolean> {
    const refused: Parameters<SetAside>[] = []
    try {
      for (let start = 0; start < rows.length; start += BATCH_ROWS)
        await insertOrSetAside(this.#db, rows.slice(start, start + BATCH_ROWS), (...line) => refused.push(line))
    } catch (error) {
      if (!this.#isAway) this.#log.warn({ error: String(error) }, 'ledger lines wait for the store')
      this.#hasFailed = true
      this.#isAway = true
      return false
    }
    if (this.#isAway) this.#log.info('ledger lines reach the store again')
    this.#isAway = false
    // Not before the others are in the store: if it fails in the middle, all of them are inserted again.
    for (const line of refused) this.#setAside(...line)
    return true
  }

  #reportLeft(): void {
    const { lines } = this.#journal
    if (lines > 0) this.#log.warn({ lines }, 'ledger lines wait in the journal for the next start')
    this.lost += this.#loose.length
    if (this.#loose.length > 0) this.#log.error({ lines: this.#loose.length }, 'ledger lines are lost')
    this.#loose = []
  }
}
