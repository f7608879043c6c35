import { Buffer } from 'node:buffer'
import { asBuffer } from './as-buffer.ts'

/** Larger pieces are given the space that they need; behind smaller ones others will follow. */
const SMALL_BYTES = 16 * 1024
const MIN_CAPACITY = 1024
const NOTHING = Buffer.alloc(0)

/**
 * Bytes in one piece of memory: they come in at its end and leave at its beginning. However finely they are cut, each is
 * moved only a few times. What has left stays as it is.
 */
export class GrowingBytes {
  #memory: Buffer = NOTHING
  #start = 0
  #end = 0

  get length(): number {
    return this.#end - this.#start
  }

  /** How many bytes fit in before they have to be moved. */
  get capacity(): number {
    return this.#memory.length - this.#start
  }

  /** A view, valid until the next change. */
  get bytes(): Buffer {
    return this.#memory.subarray(this.#start, this.#end)
  }

  append(piece: Uint8Array): void {
    if (this.#end + piece.length > this.#memory.length) this.#makeSpaceFor(piece.length)
    this.#memory.set(piece, this.#end)
    this.#end += piece.length
  }

  /** Starts with this piece, which is neither copied nor written to. Nothing may be in here. */
  hold(piece: Uint8Array): void {
    this.#memory = piece instanceof Buffer ? piece : asBuffer(piece)
    this.#start = 0
    this.#end = piece.length
  }

  /** The first bytes leave; without a length, all. */
  take(length = this.length): Buffer {
    const end = this.#start + length
    const taken =
      this.#start === 0 && end === this.#memory.length ? this.#memory : this.#memory.subarray(this.#start, end)
    this.#start = end
    if (end === this.#end) this.hold(NOTHING)
    return taken
  }

  /** Moves what is here into this memory, which has to be large enough. */
  moveTo(memory: Buffer): void {
    if (this.length > 0) memory.set(this.bytes)
    this.#end = this.length
    this.#start = 0
    this.#memory = memory
  }

  #makeSpaceFor(more: number): void {
    const needed = this.length + more
    // Memory of its own: a slice of Node's pool would keep all of the pool alive.
    this.moveTo(Buffer.allocUnsafeSlow(Math.max(MIN_CAPACITY, more < SMALL_BYTES ? needed * 2 : needed)))
  }
}
