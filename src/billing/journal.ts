import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type ProcessLock, tryLock } from '../store/process-lock.ts'
import type { LedgerLine } from '../store/ledger/ledger-line.ts'
import { encodeLine } from './journal-line.ts'
import { Segment, type WriteBytes } from './journal-segment.ts'

// Ledger lines on the local disk, until the store has them. Each process has files of its own, `<process>.<number>.jsonl`,
// and holds the lock `<process>.lock`. Whoever gets the lock of a process that died takes over its files. Lines are written
// without fsync: they survive the death of the process, but not the loss of the machine or its disk.

/** Reading and parsing this much holds up the event loop for a few milliseconds. */
const SEGMENT_BYTES = 1024 * 1024
const MAX_LINES_IN_MEMORY = 10_000
const OWNER_ONLY = 0o700

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
  readonly #sealed: Segment[] = []
  readonly #unreadable: Segment[] = []
  readonly #takenOver = new Map<string, { lock: ProcessLock; segments: Set<Segment> }>()
  #lock: ProcessLock | undefined
  #current: Segment | undefined
  #created = 0
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
  sealed(): readonly Segment[] {
    return [...this.#sealed]
  }

  /** Keeps a line that the store refuses, for an operator to look at. Returns the file, or undefined if the disk failed. */
  setAside(line: LedgerLine): string | undefined {
    const file = this.#path('refused.txt')
    try {
      mkdirSync(this.#options.folder, { recursive: true, mode: OWNER_ONLY })
      appendFileSync(file, encodeLine(line), { mode: 0o600 })
      return file
    } catch {
      return undefined
    }
  }

  /** Leaves a file that cannot be read to the next `takeOver`: the process may only have had too many open files. */
  skip(segment: Segment): void {
    this.#forget(segment)
    this.#unreadable.push(segment)
  }

  /** Removes a file whose lines the store has. */
  remove(segment: Segment): void {
    this.#forget(segment)
    this.bytes -= segment.bytes
    this.waiting -= segment.appended
    this.#linesInMemory -= segment.linesInMemory?.length ?? 0
    segment.remove()
    for (const [id, { lock, segments }] of this.#takenOver)
      if (segments.delete(segment) && segments.size === 0 && this.#takenOver.delete(id)) this.#discardLock(id, lock)
  }

  /** Adds the files of processes that have died to this journal, and files that could not be read before. */
  takeOver(): void {
    this.#sealed.push(...this.#unreadable.splice(0))
    for (const id of new Set(segmentsIn(this.#options.folder).map(idOf))) {
      if (id === this.#id || this.#takenOver.has(id)) continue
      const lock = tryLock(this.#path(`${id}.lock`))
      if (lock) this.#adopt(id, lock)
    }
  }

  /** Leaves lines that the store does not have to another process, or to the next start. */
  close(): void {
    this.seal()
    for (const { lock } of this.#takenOver.values()) lock.release()
    this.#takenOver.clear()
    const isEmpty = !segmentsIn(this.#options.folder).some((name) => idOf(name) === this.#id)
    if (this.#lock && isEmpty) this.#discardLock(this.#id, this.#lock)
    else this.#lock?.release()
    this.#lock = undefined
  }

  #create(): Segment {
    // The lock comes first, because files whose lock nobody holds belong to a dead process.
    this.#lock ??= this.#claimFolder()
    return Segment.create(this.#path(`${this.#id}.${++this.#created}.jsonl`))
  }

  #claimFolder(): ProcessLock | undefined {
    mkdirSync(this.#options.folder, { recursive: true, mode: OWNER_ONLY })
    return tryLock(this.#path(`${this.#id}.lock`))
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

  #forget(segment: Segment): void {
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

  /** The files are listed under the lock: another process may have written them to the store a moment ago. */
  #adopt(id: string, lock: ProcessLock): void {
    const names = segmentsIn(this.#options.folder).filter((name) => idOf(name) === id)
    const segments = names.map((name) => Segment.found(this.#path(name), statSync(this.#path(name)).size))
    if (segments.length === 0) return this.#discardLock(id, lock)
    this.#takenOver.set(id, { lock, segments: new Set(segments) })
    for (const segment of segments) this.bytes += segment.bytes
    this.#sealed.push(...segments)
    this.#options.log.info({ files: segments.length }, 'ledger lines of a process that has ended are taken over')
  }

  /** Removed before it is released: afterwards it could already be the lock of another process. */
  #discardLock(id: string, lock: ProcessLock): void {
    try {
      rmSync(this.#path(`${id}.lock`), { force: true })
    } finally {
      lock.release()
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

  #path(name: string): string {
    return join(this.#options.folder, name)
  }
}

const SEGMENT_NAME = /^[0-9a-f-]{36}\.\d+\.jsonl$/

function segmentsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => SEGMENT_NAME.test(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function idOf(segmentName: string): string {
  return segmentName.slice(0, segmentName.indexOf('.'))
}
