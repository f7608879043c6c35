import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Database } from '../../platform/store/database.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import { decodeLine } from './journal-line.ts'

/** Appends bytes to an open file and returns how many of them the disk took. */
export type WriteBytes = (fd: number, bytes: Uint8Array, offset: number) => number

const OWNER_ONLY = 0o600
const LINE_END = 10

/** Lines that nothing is added to any more, until the store has them. */
export type SealedFile = {
  readonly path: string
  readonly bytes: number
  /** How many lines this process has appended. */
  readonly appended: number
  readonly linesInMemory: readonly LedgerLine[] | undefined
  /** What was cut off when a process was killed is only counted, and so is what is damaged. */
  read(db: Database): Promise<{ lines: LedgerLine[]; damaged: number }>
  remove(): void
}

/** One file of the journal, with one line of JSON for each line of the ledger. */
export class Segment implements SealedFile {
  readonly path: string
  bytes: number
  appended = 0
  /** The lines of the file, as long as memory has them too. */
  linesInMemory: LedgerLine[] | undefined
  #fd: number | undefined

  private constructor(path: string, bytes: number) {
    this.path = path
    this.bytes = bytes
  }

  static create(path: string): Segment {
    const segment = new Segment(path, 0)
    segment.#fd = openSync(path, 'ax', OWNER_ONLY)
    segment.linesInMemory = []
    return segment
  }

  /** A file that another process has left. */
  static found(path: string, bytes: number): Segment {
    return new Segment(path, bytes)
  }

  /** Appends as many whole lines as the disk takes. The beginning of a line that did not fit is cut off again. */
  append(bytes: Uint8Array, lines: number, write: WriteBytes = writeSync): { appended: number; error?: unknown } {
    let done = 0
    try {
      while (done < bytes.length) done += atLeastOne(write(this.#fd!, bytes, done))
      this.bytes += done
      this.appended += lines
      return { appended: lines }
    } catch (error) {
      return { appended: this.#keepWholeLines(bytes.subarray(0, done)), error }
    }
  }

  #keepWholeLines(written: Uint8Array): number {
    const whole = written.subarray(0, written.lastIndexOf(LINE_END) + 1)
    ftruncateSync(this.#fd!, this.bytes + whole.length)
    const lines = whole.reduce((count, byte) => (byte === LINE_END ? count + 1 : count), 0)
    this.bytes += whole.length
    this.appended += lines
    return lines
  }

  /** Nothing is appended after this. */
  seal(): void {
    const fd = this.#fd
    this.#fd = undefined
    if (fd !== undefined) closeSync(fd)
  }

  remove(): void {
    rmSync(this.path, { force: true })
  }

  async read(): Promise<{ lines: LedgerLine[]; damaged: number }> {
    const texts = (await readFile(this.path, 'utf8')).split('\n').filter((text) => text !== '')
    const lines = texts.map(decodeLine).filter((line) => line !== undefined)
    return { lines, damaged: texts.length - lines.length }
  }
}

/** A disk that takes nothing and reports no error would be asked forever. */
function atLeastOne(bytes: number): number {
  if (bytes === 0) throw new Error('the disk took no bytes')
  return bytes
}
