import type { Logger } from 'pino'
import type { Database } from '../../platform/store/database.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import type { Journal, JournalTrouble } from './journal.ts'
import { BATCH_LINES, LedgerWriter } from './ledger-writer.ts'
import { UnsavedLines } from './unsaved-lines.ts'

// One line per call. The lines of calls that end together are appended to the journal with one write, before the last byte
// of their answers is sent. They are inserted into the store in batches, off the hot path.

const FLUSH_MS = 1_000
const TAKE_OVER_MS = 10_000

export type LedgerOptions = {
  db: Database
  journal: Journal
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** How many lines that the journal refused are kept in memory. */
  maxUnsavedLines?: number
}

export class Ledger {
  readonly #journal: Journal
  readonly #log: LedgerOptions['log']
  readonly #unsaved: UnsavedLines
  readonly #writer: LedgerWriter
  /** Lines of calls that have ended just now. */
  #ended: LedgerLine[] = []
  readonly #timers: NodeJS.Timeout[] = []

  constructor({ db, journal, log, maxUnsavedLines }: LedgerOptions) {
    this.#journal = journal
    this.#log = log
    this.#unsaved = new UnsavedLines(log, maxUnsavedLines)
    this.#writer = new LedgerWriter({ db, journal, unsaved: this.#unsaved, log })
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
  record(line: LedgerLine): void {
    if (this.#ended.push(line) === 1) queueMicrotask(this.append)
  }

  /** Appends the lines of calls that have just ended. */
  readonly append = (): void => {
    if (this.#ended.length === 0) return
    const lines = this.#ended
    this.#ended = []
    const appended = this.#journal.append(lines)
    if (appended < lines.length) this.#unsaved.keep(lines.slice(appended), this.trouble)
    // While the database is unavailable, only the timer retries: a retry with all waiting lines for every call would be too slow.
    if (this.waiting >= BATCH_LINES && this.#writer.isReady) void this.flush()
  }

  /** Lines of this process that the store does not have yet. */
  get waiting(): number {
    return this.#ended.length + this.#unsaved.count + this.#journal.waiting
  }

  get journalBytes(): number {
    return this.#journal.bytes
  }

  /** Lines that the journal refused. The store may have taken them all the same. */
  get refused(): number {
    return this.#journal.refused
  }

  /** Lines that neither the disk nor the store took, and lines that the store refused because of what is in them. */
  get lost(): number {
    return this.#unsaved.lost
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
    return this.#writer.write()
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.append()
    await this.#writer.close()
    this.#unsaved.leaveTo(this.#journal)
    this.#closeJournal()
    const { waiting } = this.#journal
    if (waiting > 0) this.#log.warn({ lines: waiting }, 'ledger lines wait in the journal for the next start')
    this.#unsaved.giveUp()
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
}
