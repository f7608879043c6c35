import { Buffer } from 'node:buffer'
import { asBuffer } from './as-buffer.ts'

/** A larger piece gets exactly the space that it needs. A smaller piece gets more, because others will follow. */
const SMALL_BYTES = 16 * 1024
const MIN_CAPACITY = 1024
/** Of one UTF-16 unit of a text. */
const MAX_UTF8_BYTES = 3
const NOTHING = Buffer.alloc(0)

/**
 * Bytes in one block of memory. New bytes are appended at the end and taken from the start. However small the pieces are,
 * each byte is moved only a few times. Bytes that were taken never change.
 */
export class GrowingBytes {
  #memory: Buffer = NOTHING
  #start = 0
  #end = 0

  get length(): number {
    return this.#end - this.#start
  }

  /** How many bytes fit before the content has to be moved. */
  get capacity(): number {
    return this.#memory.length - this.#start
  }

  /** A view that is valid until the next change. */
  get bytes(): Buffer {
    return this.#memory.subarray(this.#start, this.#end)
  }

  append(piece: Uint8Array): void {
    if (this.#end + piece.length > this.#memory.length) this.#makeSpaceFor(piece.length)
    this.#memory.set(piece, this.#end)
    this.#end += piece.length
  }

  /** A text in `latin1` has one byte in each character. */
  appendText(text: string, charset: 'utf8' | 'latin1' = 'utf8'): void {
    const most = charset === 'latin1' ? text.length : text.length * MAX_UTF8_BYTES
    if (this.#end + most > this.#memory.length) this.#makeSpaceFor(most)
    this.#end += this.#memory.write(text, this.#end, charset)
  }

  /** Starts with this piece, which is neither copied nor written to. The object must be empty. */
  hold(piece: Uint8Array): void {
    this.#memory = piece instanceof Buffer ? piece : asBuffer(piece)
    this.#start = 0
    this.#end = piece.length
  }

  /** Takes the first bytes, or all of them without a length. */
  take(length = this.length): Buffer {
    const end = this.#start + length
    const taken =
      this.#start === 0 && end === this.#memory.length ? this.#memory : this.#memory.subarray(this.#start, end)
    this.#start = end
    if (end === this.#end) this.hold(NOTHING)
    return taken
  }

  /** Moves the content into this memory, which has to be large enough. */
  moveTo(memory: Buffer): void {
    if (this.length > 0) memory.set(this.bytes)
    this.#end = this.length
    this.#start = 0
    this.#memory = memory
  }

  #makeSpaceFor(more: number): void {
    const needed = this.length + more
    // A slice of Node's pool would keep the whole pool alive, so this allocates memory of its own.
    this.moveTo(Buffer.allocUnsafeSlow(Math.max(MIN_CAPACITY, more < SMALL_BYTES ? needed * 2 : needed)))
  }
}
