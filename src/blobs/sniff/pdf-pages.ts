import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { constants, inflate } from 'node:zlib'
import { nameOf, PdfCut, type PdfDictionary, PdfNonsense, PdfReader, type PdfValue } from './pdf-reader.ts'
import { PdfTooMuch, PdfTree } from './pdf-tree.ts'
import { PdfWindow } from './pdf-window.ts'

// Reads a PDF once from front to back, without its table of contents: that table is what damaged and hostile files lie
// about. Object streams are unpacked, with a limit; the streams of pictures and pages are passed over.

const MAX_OBJECT_BYTES = 2 * 1024 * 1024
const MAX_PACKED_BYTES = 4 * 1024 * 1024
const MAX_UNPACKED_BYTES = 4 * 1024 * 1024
/** Read as objects or unpacked, all in all. What costs more is not worth a number. */
const MAX_WORK_BYTES = 96 * 1024 * 1024
const MAX_LIST_BYTES = 256 * 1024
const BYTES_PER_TURN = 256 * 1024
/** What looking at one place costs at least, and what it costs when there is nothing: in bytes of reading. */
const LOOK_BYTES = 64
const MISS_BYTES = 1024

/** Null when the number is not known: cut, encrypted, hostile, or too much work. Only the source can make it throw. */
export async function pdfPages(bytes: AsyncIterable<Uint8Array>): Promise<number | null> {
  const source = bytes[Symbol.asyncIterator]()
  try {
    return await new PdfScan(new PdfWindow(source)).countPages()
  } catch (error) {
    if (error instanceof PdfTooMuch) return null
    throw error
  } finally {
    await source.return?.()
  }
}

type Found = { value: PdfValue; hasStream: boolean }

class PdfScan {
  readonly #window: PdfWindow
  readonly #tree = new PdfTree()
  #work = 0

  constructor(window: PdfWindow) {
    this.#window = window
  }

  async countPages(): Promise<number | null> {
    const window = this.#window
    for (let at = await window.find('obj'); at !== undefined; at = await window.find('obj')) {
      this.#spend(LOOK_BYTES)
      const object = numberBefore(window.bytes, at)
      const found = object === undefined ? undefined : await this.#readObject()
      if (object === undefined || !found) continue
      this.#tree.add(object, found.value)
      if (!found.hasStream) continue
      const type = found.value instanceof Map ? nameOf(found.value.get('Type')) : undefined
      if (type === 'ObjStm') await this.#openStream(found.value as PdfDictionary)
      await window.find('endstream')
    }
    return this.#tree.countPages()
  }

  /** Undefined when it is none after all; the position is then where that became clear. */
  async #readObject(): Promise<Found | undefined> {
    const window = this.#window
    for (;;) {
      const reader = new PdfReader(window.bytes, window.position)
      try {
        const value = reader.value()
        const hasStream = value instanceof Map && reader.word() === 'stream'
        this.#advance(reader.position)
        return { value, hasStream }
      } catch (error) {
        if (error instanceof PdfNonsense) return this.#miss(reader.position)
        if (!(error instanceof PdfCut)) throw error
      }
      this.#spend(window.ahead)
      if (window.ahead > MAX_OBJECT_BYTES) throw new PdfTooMuch()
      // As much again as there is already, so that an object is begun anew only a few times.
      if (!(await window.grow(Math.max(1, window.ahead)))) return undefined
    }
  }

  async #openStream(dictionary: PdfDictionary): Promise<void> {
    const packed = await this.#streamBytes()
    const unpacked = await this.#unpack(packed, dictionary)
    const first = dictionary.get('First')
    if (unpacked && typeof first === 'number') await this.#readPackedObjects(unpacked, first)
  }

  /** What lies before `endstream`; the position stays before it. */
  async #streamBytes(): Promise<Buffer> {
    const window = this.#window
    for (;;) {
      const end = window.bytes.indexOf('endstream', window.position, 'latin1')
      if (end >= 0) return withoutLineEnd(window.bytes.subarray(window.position, end))
      if (window.ahead > MAX_PACKED_BYTES) throw new PdfTooMuch()
      if (!(await window.grow(Math.max(1, window.ahead)))) return Buffer.alloc(0)
    }
  }

  /** Undefined for what we cannot read: encrypted, damaged, or packed in a way that nobody uses for objects. */
  async #unpack(packed: Buffer, dictionary: PdfDictionary): Promise<Buffer | undefined> {
    const given = dictionary.get('Filter')
    const filters = Array.isArray(given) ? given : given === undefined ? [] : [given]
    if (filters.length === 0) return packed
    if (filters.length > 1 || nameOf(filters[0]) !== 'FlateDecode') return undefined
    try {
      const unpacked = await promisify(inflate)(packed, {
        maxOutputLength: MAX_UNPACKED_BYTES,
        finishFlush: constants.Z_SYNC_FLUSH,
      })
      this.#spend(unpacked.length)
      return unpacked
    } catch (error) {
      const bomb = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      this.#spend(bomb ? MAX_UNPACKED_BYTES : packed.length)
      return undefined
    }
  }

  /** A list of numbers and offsets, then the objects themselves. */
  async #readPackedObjects(unpacked: Buffer, first: number): Promise<void> {
    // The last object ends where the bytes end; a space tells the reader so.
    const bytes = Buffer.concat([unpacked, Buffer.from(' ')])
    const list = bytes.toString('latin1', 0, Math.min(first, MAX_LIST_BYTES)).match(/\d{1,10}/g) ?? []
    let sinceTurn = 0
    for (let index = 0; index + 1 < list.length; index += 2) {
      const start = first + Number(list[index + 1])
      sinceTurn += this.#readPackedObject(Number(list[index]), new PdfReader(bytes, start), start)
      if (sinceTurn > BYTES_PER_TURN) sinceTurn = await nextTurn(0)
    }
  }

  #readPackedObject(object: number, reader: PdfReader, start: number): number {
    try {
      this.#tree.add(object, reader.value())
    } catch (error) {
      if (!(error instanceof PdfCut || error instanceof PdfNonsense)) throw error
      this.#spend(MISS_BYTES)
    }
    const cost = LOOK_BYTES + reader.position - start
    this.#spend(cost)
    return cost
  }

  #advance(position: number): void {
    this.#spend(position - this.#window.position)
    this.#window.position = position
  }

  #miss(position: number): undefined {
    this.#spend(MISS_BYTES)
    this.#advance(position)
  }

  #spend(bytes: number): void {
    this.#work += bytes
    if (this.#work > MAX_WORK_BYTES) throw new PdfTooMuch()
  }
}

/** `12 0 ` stands before the word that begins an object. */
function numberBefore(bytes: Buffer, at: number): number | undefined {
  const before = bytes.toString('latin1', Math.max(0, at - 32), at)
  const number = /(?:^|\D)(\d{1,10})[\s\0]+\d{1,5}[\s\0]+$/.exec(before)?.[1]
  return number === undefined ? undefined : Number(number)
}

function withoutLineEnd(bytes: Buffer): Buffer {
  const skip = bytes[0] === 0x0d && bytes[1] === 0x0a ? 2 : bytes[0] === 0x0a || bytes[0] === 0x0d ? 1 : 0
  return bytes.subarray(skip)
}
