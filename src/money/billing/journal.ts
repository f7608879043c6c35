import { appendFileSync } from 'node:fs'
import type { Logger } from 'pino'
import type { ProcessLock } from '../../platform/store/process-lock.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import { DeadJournals } from './dead-journals.ts'
import { JournalFolder } from './journal-folder.ts'
import { encodeLine } from './journal-line.ts'
import { type SealedFile, Segment, type WriteBytes } from './journal-segment.ts'
import { MB } from '../../base/units/units.ts'

// Ledger lines on the local disk, until the store has them. Each process has files of its own and holds a lock. The process
// that gets the lock of a dead one takes over its files. Lines are written without fsync: they survive the death of the
// process, but not the loss of the machine or its disk.

/** Reading and parsing this much holds up the event loop for a few milliseconds. */
const SEGMENT_BYTES = MB
const MAX_LINES_IN_MEMORY = 10_000
const OWNER_ONLY = 0o600

export type JournalOptions = {
  folder: string
  /** A UUID for this process. */
  id: string
  /** How many bytes may wait for the store. */
  maxBytes: number
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  write?: WriteBytes
}

/** Why lines cannot be appended: `full` at the configured size, `failing` if the disk refuses them. */
export type JournalTrouble = 'full' | 'failing'

export class Journal {
  readonly #options: JournalOptions
  readonly #id: string
  readonly #sealed: SealedFile[] = []
  readonly #unreadable: SealedFile[] = []
  readonly #folder: JournalFolder
  readonly #dead: DeadJournals
  #lock: ProcessLock | undefined
  #current: Segment | undefined
  #created = 0
  #createdInFlight = 0
  #linesInMemory = 0
  bytes = 0
  /** Lines of this process that the store does not have yet. */
  waiting = 0
  /** Lines that could not be appended. */
  refused = 0
  trouble: JournalTrouble | undefined

  constructor(options: JournalOptions) {
    this.#options = options
    this.#id = options.id
    this.#folder = new JournalFolder(options.folder)
    this.#dead = new DeadJournals(this.#folder)
  }

  /** Appends the lines, and returns how many of them are on disk now, from the first one on. */
  append(lines: readonly LedgerLine[]): number {
    const bytes = Buffer.from(lines.map(encodeLine).join(''))
    if (this.bytes + bytes.length > this.#options.maxBytes) return this.#refuse(lines.length, 'full')
    try {
      this.#current ??= this.#create()
      const segment = this.#current
      const before = segment.bytes
      const { appended, error } = segment.append(bytes, lines.length, this.#options.write)
      this.bytes += segment.bytes - before
      this.waiting += appended
      this.#remember(segment, appended === lines.length ? lines : lines.slice(0, appended))
      if (error !== undefined) this.#refuse(lines.length - appended, 'failing', error)
      else this.#recover()
      return appended
    } catch (error) {
      return this.#refuse(lines.length, 'failing', error)
    }
  }

  /** The lines so far can be written to the store. Further ones go to another file. */
  seal(): void {
    if (this.#current) this.#seal(this.#current)
  }

  /** The files that nothing is appended to any more, oldest first. */
  sealed(): readonly SealedFile[] {
    return [...this.#sealed]
  }

  /** Keeps a line that the store refuses, for an operator to look at. Returns the file, or undefined if the disk failed. */
  setAside(line: LedgerLine): string | undefined {
    const file = this.#folder.path('refused.txt')
    try {
      this.#folder.create()
      appendFileSync(file, encodeLine(line), { mode: OWNER_ONLY })
      return file
    } catch {
      return undefined
    }
  }

  /** Leaves a file that cannot be read to the next `takeOver`: the process may only have had too many open files. */
  skip(segment: SealedFile): void {
    this.#forget(segment)
    this.#unreadable.push(segment)
  }

  /** Removes a file whose lines the store has. */
  remove(segment: SealedFile): void {
    this.#forget(segment)
    this.bytes -= segment.bytes
    this.waiting -= segment.appended
    this.#linesInMemory -= segment.linesInMemory?.length ?? 0
    segment.remove()
    this.#dead.removed(segment)
  }

  /** Adds the files of processes that have died to this journal, and files that could not be read before. */
  takeOver(): void {
    this.#sealed.push(...this.#unreadable.splice(0))
    for (const segments of this.#dead.takeOver(this.#id)) {
      for (const segment of segments) this.bytes += segment.bytes
      this.#sealed.push(...segments)
      this.#options.log.info({ files: segments.length }, 'ledger lines of a process that has ended are taken over')
    }
  }

  /** The path of a new file for the calls that are in flight. */
  newInFlightPath(): string {
    this.#lock ??= this.#claimFolder()
    return this.#folder.inFlightPath(this.#id, ++this.#createdInFlight)
  }

  /** Leaves lines that the store does not have to another process, or to the next start. */
  close(): void {
    this.seal()
    this.#dead.release()
    const isEmpty = !this.#folder.ids().has(this.#id)
    if (this.#lock && isEmpty) this.#folder.discardLock(this.#id, this.#lock)
    else this.#lock?.release()
    this.#lock = undefined
  }

  #create(): Segment {
    // The lock comes first, because files whose lock no process holds belong to a dead process.
    this.#lock ??= this.#claimFolder()
    return Segment.create(this.#folder.segmentPath(this.#id, ++this.#created))
  }

  #claimFolder(): ProcessLock | undefined {
    this.#folder.create()
    return this.#folder.tryLock(this.#id)
  }

  /** While the store is unavailable, only the first lines stay in memory. The others are read from the disk later. */
  #remember(segment: Segment, lines: readonly LedgerLine[]): void {
    if (segment.linesInMemory) {
      this.#linesInMemory += lines.length
      for (const line of lines) segment.linesInMemory.push(line)
    }
    if (segment.linesInMemory && this.#linesInMemory > MAX_LINES_IN_MEMORY) {
      this.#linesInMemory -= segment.linesInMemory.length
      segment.linesInMemory = undefined
    }
    if (segment.bytes >= SEGMENT_BYTES) this.#seal(segment)
  }

  #forget(segment: SealedFile): void {
    this.#sealed.splice(this.#sealed.indexOf(segment), 1)
  }

  #seal(segment: Segment): void {
    this.#current = undefined
    if (segment.bytes > 0) this.#sealed.push(segment)
    try {
      segment.seal()
      if (segment.bytes === 0) segment.remove()
    } catch (error) {
      // Disks on a network report failed writes only now. The lines are nearly always still in memory.
      this.#options.log.error({ file: segment.path, error: String(error) }, 'a file of the journal cannot be closed')
    }
  }

  #refuse(lines: number, trouble: JournalTrouble, error?: unknown): 0 {
    this.refused += lines
    if (this.trouble !== trouble) {
      const { maxBytes, log } = this.#options
      if (trouble === 'full') log.error({ maxBytes }, 'the journal of the ledger has reached its size limit')
      else log.error({ error: String(error) }, 'the journal of the ledger cannot be written')
    }
    this.trouble = trouble
    return 0
  }

  #recover(): void {
    if (!this.trouble) return
    this.trouble = undefined
    this.#options.log.info({ refused: this.refused }, 'the journal of the ledger can be written again')
  }
}
