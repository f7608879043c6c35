import type { Logger } from 'pino'
import { type Database, StoreUnavailable } from '../../platform/store/database.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import type { Journal } from './journal.ts'
import type { SealedFile } from './journal-segment.ts'
import { insertOrSetAside, type SetAside } from './set-aside.ts'
import type { UnsavedLines } from './unsaved-lines.ts'

export const BATCH_LINES = 5_000

type WriterOptions = {
  db: Database
  journal: Journal
  unsaved: UnsavedLines
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

/**
 * Writes the lines that wait to the store: those that only memory has, and the files of the journal. The store ignores a line
 * that it already has, so a batch whose fate is unknown is inserted again.
 */
export class LedgerWriter {
  readonly #db: Database
  readonly #journal: Journal
  readonly #unsaved: UnsavedLines
  readonly #log: WriterOptions['log']
  #writing: Promise<void> | undefined
  /** The write after the running one, for lines that came meanwhile. */
  #following: Promise<void> | undefined
  /** The latest write stopped at an insertion that failed. */
  #hasFailed = false
  /** The latest insertion failed, and the log says so. */
  #isAway = false
  #isClosing = false

  constructor({ db, journal, unsaved, log }: WriterOptions) {
    this.#db = db
    this.#journal = journal
    this.#unsaved = unsaved
    this.#log = log
  }

  /** Nothing is being written, and the latest write did not fail. */
  get isReady(): boolean {
    return !this.#writing && !this.#hasFailed
  }

  /** Writes what waits now. All calls that come during a write share the next one: if they added to the running one, it would never end. */
  write(): Promise<void> {
    if (!this.#writing) return this.#begin()
    this.#following ??= this.#writing.then(() => this.#follow())
    return this.#following
  }

  /** Writes what is in memory a last time, and leaves what is only on disk to the next start. */
  close(): Promise<void> {
    this.#isClosing = true
    return this.write()
  }

  #begin(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #follow(): Promise<void> {
    this.#following = undefined
    if (!this.#hasFailed) await this.#begin()
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
    // In an outage, each write would leave a file of its own. But something has to be tried.
    if (!this.#isAway || !this.#hasLines()) this.#journal.seal()
    await this.#writeUnsaved(this.#unsaved.count)
    for (const segment of this.#journal.sealed()) {
      if (this.#hasFailed) return
      if (this.#isWanted(segment)) await this.#writeSegment(segment)
    }
  }

  #hasLines(): boolean {
    return this.#unsaved.count > 0 || this.#journal.sealed().some((segment) => this.#isWanted(segment))
  }

  #isWanted(segment: SealedFile): boolean {
    return !this.#isClosing || segment.linesInMemory !== undefined
  }

  async #writeUnsaved(count: number): Promise<void> {
    for (let remaining = count; remaining > 0; remaining -= BATCH_LINES) {
      const batch = this.#unsaved.oldest(Math.min(remaining, BATCH_LINES))
      if (!(await this.#insert(batch))) return
      this.#unsaved.removeOldest(batch.length)
    }
  }

  async #writeSegment(segment: SealedFile): Promise<void> {
    const lines = segment.linesInMemory ?? (await this.#read(segment))
    if (lines && (await this.#insert(lines))) this.#remove(segment)
  }

  async #read(segment: SealedFile): Promise<LedgerLine[] | undefined> {
    try {
      const { lines, damaged } = await segment.read(this.#db)
      if (damaged > 0)
        this.#log.warn({ file: segment.path, damaged }, 'a file of the journal has lines that are cut off or damaged')
      return lines
    } catch (error) {
      if (error instanceof StoreUnavailable) this.#noteOutage(error)
      else this.#skip(segment, error)
      return undefined
    }
  }

  #skip(segment: SealedFile, error: unknown): void {
    this.#log.error({ file: segment.path, error: String(error) }, 'a file of the journal cannot be read')
    this.#journal.skip(segment)
  }

  /** A file that stays does no harm: its lines are known. On a disk that has become read-only, every file stays. */
  #remove(segment: SealedFile): void {
    try {
      this.#journal.remove(segment)
    } catch (error) {
      this.#log.error({ file: segment.path, error: String(error) }, 'a file of the journal cannot be removed')
    }
  }

  /** Returns false if the store is unavailable. */
  async #insert(lines: readonly LedgerLine[]): Promise<boolean> {
    const refused: Parameters<SetAside>[] = []
    try {
      for (let start = 0; start < lines.length; start += BATCH_LINES)
        await insertOrSetAside(this.#db, lines.slice(start, start + BATCH_LINES), (...one) => refused.push(one))
    } catch (error) {
      this.#noteOutage(error)
      return false
    }
    if (this.#isAway) this.#log.info('ledger lines reach the store again')
    this.#isAway = false
    // Not before the others are in the store: if it fails in the middle, all of them are inserted again.
    for (const one of refused) this.#setAside(...one)
    return true
  }

  #noteOutage(error: unknown): void {
    if (!this.#isAway) this.#log.warn({ error: String(error) }, 'ledger lines wait for the store')
    this.#hasFailed = true
    this.#isAway = true
  }

  readonly #setAside: SetAside = (line, error) => {
    this.#unsaved.lost++
    const file = this.#journal.setAside(line)
    this.#log.error({ id: line.id, file, error: String(error) }, 'the store refuses a ledger line, and it is set aside')
  }
}
