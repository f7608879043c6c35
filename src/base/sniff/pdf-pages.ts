import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { constants, inflate } from 'node:zlib'
import { CUT, nameOf, PdfCut, type PdfDictionary, PdfNonsense, PdfReader, type PdfValue } from './pdf-reader.ts'
import { skimObject } from './pdf-skim.ts'
import { PdfTooMuch, PdfTree } from './pdf-tree.ts'
import { PdfWindow } from './pdf-window.ts'
import { MB } from '../units/units.ts'

// Reads a PDF once from front to back, without its cross-reference table, because that is where damaged and hostile files
// lie. Object streams are decompressed up to a limit; the streams of images and pages are skipped.

const MAX_OBJECT_BYTES = 2 * MB
/** An object is read in one step. A list of 25,000 pages is as long, and takes about 25 ms. */
const MAX_READ_BYTES = 256 * 1024
const MAX_PACKED_BYTES = 4 * MB
const MAX_UNPACKED_BYTES = 4 * MB
const MAX_LIST_BYTES = 256 * 1024

// Work is counted in skimmed bytes; everything else is weighted by its cost relative to that.
const MAX_WORK = 128 * MB
const WORK_PER_BATCH = MB
const WORK_PER_LOOK = 64
const WORK_PER_OBJECT = 256
const WORK_PER_MISS = 1024
const WORK_PER_BYTE_READ = 8

const OBJECT = Buffer.from('obj')
const STREAM_END = Buffer.from('endstream')
const MAX_STREAM_START_BYTES = 16
const [SPACE, LETTER_S] = [0x20, 0x73]

/**
 * Returns null if the number is unknown: the file is truncated, encrypted, hostile, or too much work. Only the source can
 * make it throw.
 */
export async function pdfPages(bytes: AsyncIterable<Uint8Array>, { maxWork = MAX_WORK } = {}): Promise<number | null> {
  const source = bytes[Symbol.asyncIterator]()
  try {
    return await new PdfScan(new PdfWindow(source), maxWork).countPages()
  } catch (error) {
    if (error instanceof PdfTooMuch) return null
    throw error
  } finally {
    await source.return?.()
  }
}

type Taken = { value: PdfValue | undefined; hasStream: boolean }

class PdfScan {
  readonly #window: PdfWindow
  readonly #tree = new PdfTree()
  #work = 0
  #batchEnds = WORK_PER_BATCH
  readonly #maxWork: number

  constructor(window: PdfWindow, maxWork: number) {
    this.#window = window
    this.#maxWork = maxWork
  }

  async countPages(): Promise<number | null> {
    const window = this.#window
    for (;;) {
      const at = window.seek(OBJECT) ?? (await window.find(OBJECT))
      if (at === undefined) return this.#tree.countPages()
      this.#spend(WORK_PER_LOOK)
      const object = numberBefore(window.bytes, at)
      if (object === undefined) continue
      // Waiting costs more than most objects do, so it waits only for objects that have not arrived yet.
      let taken = this.#takeObject(object)
      while (taken === 'cut' && (await this.#growForObject())) taken = this.#takeObject(object)
      if (taken !== 'cut' && taken?.hasStream) await this.#passStream(taken.value)
      if (this.#work > this.#batchEnds) await this.#rest()
    }
  }

  /**
   * Lets other work run. Objects that begin inside each other are skipped again and again, until the work limit is reached.
   */
  async #rest(): Promise<void> {
    await nextTurn()
    this.#batchEnds = this.#work + WORK_PER_BATCH
  }

  /** Returns undefined if it is not an object after all, and `cut` if it continues past the available bytes. */
  #takeObject(object: number): Taken | 'cut' | undefined {
    const { bytes, position } = this.#window
    this.#spend(WORK_PER_OBJECT)
    try {
      const { end, worthReading } = skimObject(bytes, position)
      this.#spend(end - position)
      const streamStart = this.#streamStart(end)
      const value = worthReading ? this.#read(object, bytes.subarray(0, end), position) : undefined
      this.#window.position = end + streamStart.length
      return { value, hasStream: streamStart !== '' }
    } catch (error) {
      if (error instanceof PdfNonsense) return this.#spend(WORK_PER_MISS)
      if (error instanceof PdfCut) return 'cut'
      throw error
    }
  }

  /**
   * Doubles the window, so that reading an object is restarted only a few times. Returns false if the file had ended already:
   * then nothing has changed.
   */
  async #growForObject(): Promise<boolean> {
    const { ahead, ended } = this.#window
    this.#spend(ahead)
    if (ahead > MAX_OBJECT_BYTES) throw new PdfTooMuch()
    if (!ended) await this.#window.grow(Math.max(1, ahead))
    return !ended
  }

  /** Matches the word `stream` and the end of its line, if they come next. */
  #streamStart(position: number): string {
    const { bytes, ended } = this.#window
    if (!ended && position + MAX_STREAM_START_BYTES > bytes.length) throw CUT
    if (bytes[position]! > SPACE && bytes[position] !== LETTER_S) return ''
    const next = bytes.toString('latin1', position, position + MAX_STREAM_START_BYTES)
    return /^\s{0,8}stream(\r?\n|\r)?/.exec(next)?.[0] ?? ''
  }

  async #passStream(value: PdfValue | undefined): Promise<void> {
    if (value instanceof Map && nameOf(value.get('Type')) === 'ObjStm') await this.#openStream(value)
    await this.#window.find(STREAM_END)
  }

  async #openStream(dictionary: PdfDictionary): Promise<void> {
    const unpacked = await this.#unpack(await this.#streamBytes(), dictionary)
    const first = dictionary.get('First')
    if (unpacked && typeof first === 'number') await this.#takePackedObjects(unpacked, first)
  }

  /** The bytes before `endstream`. The position does not change. */
  async #streamBytes(): Promise<Buffer> {
    const window = this.#window
    for (;;) {
      const end = window.bytes.indexOf(STREAM_END, window.position)
      if (end >= 0) return window.bytes.subarray(window.position, end)
      if (window.ahead > MAX_PACKED_BYTES) throw new PdfTooMuch()
      if (!(await window.grow(Math.max(1, window.ahead)))) return Buffer.alloc(0)
    }
  }

  /** Returns undefined for an unreadable stream: encrypted, damaged, or with a filter that is not used for objects. */
  async #unpack(packed: Buffer, dictionary: PdfDictionary): Promise<Buffer | undefined> {
    const options = dictionary.get('Filter')
    const filters = Array.isArray(options) ? options : options === undefined ? [] : [options]
    if (filters.length === 0) return packed
    if (filters.length > 1 || nameOf(filters[0]) !== 'FlateDecode') return undefined
    try {
      const limits = { maxOutputLength: MAX_UNPACKED_BYTES, finishFlush: constants.Z_SYNC_FLUSH }
      const unpacked = await promisify(inflate)(packed, limits)
      this.#spend(unpacked.length)
      return unpacked
    } catch (error) {
      const bomb = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      return this.#spend(bomb ? MAX_UNPACKED_BYTES : packed.length + WORK_PER_MISS)
    }
  }

  /** An object stream has a list of numbers and offsets, then the objects themselves. */
  async #takePackedObjects(unpacked: Buffer, first: number): Promise<void> {
    // The last object ends where the bytes end; the added space tells the reader so.
    const bytes = Buffer.concat([unpacked, Buffer.from(' ')])
    const list = bytes.toString('latin1', 0, Math.min(first, MAX_LIST_BYTES)).match(/\d{1,10}/g) ?? []
    for (let index = 0; index + 1 < list.length; index += 2) {
      this.#takePackedObject(Number(list[index]), bytes, first + Number(list[index + 1]))
      if (this.#work > this.#batchEnds) await this.#rest()
    }
  }

  #takePackedObject(object: number, bytes: Buffer, start: number): void {
    this.#spend(WORK_PER_OBJECT)
    try {
      const { end, worthReading } = skimObject(bytes, start)
      this.#spend(end - start)
      if (worthReading) this.#read(object, bytes.subarray(0, end), start)
    } catch (error) {
      if (!(error instanceof PdfCut || error instanceof PdfNonsense)) throw error
      this.#spend(WORK_PER_MISS)
    }
  }

  #read(object: number, bytes: Buffer, start: number): PdfValue | undefined {
    if (bytes.length - start > MAX_READ_BYTES) throw new PdfTooMuch()
    const reader = new PdfReader(bytes, start)
    try {
      const value = reader.value()
      this.#tree.add(object, value)
      return value
    } catch (error) {
      if (error instanceof PdfCut || error instanceof PdfNonsense) return undefined
      throw error
    } finally {
      this.#spend((reader.position - start) * WORK_PER_BYTE_READ)
    }
  }

  #spend(work: number): undefined {
    this.#work += work
    if (this.#work > this.#maxWork) throw new PdfTooMuch()
  }
}

/** `12 0 ` precedes the word that begins an object. */
function numberBefore(bytes: Buffer, at: number): number | undefined {
  if (at === 0 || bytes[at - 1]! > SPACE) return undefined
  const before = bytes.toString('latin1', Math.max(0, at - 32), at)
  const number = /(?:^|\D)(\d{1,10})[\s\0]+\d{1,5}[\s\0]+$/.exec(before)?.[1]
  return number === undefined ? undefined : Number(number)
}
