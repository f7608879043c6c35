import { Buffer } from 'node:buffer'
import { asBuffer } from './as-buffer.ts'
import { GrowingBytes } from './growing-bytes.ts'

/** Pieces below this size are put together: a Buffer of its own for every byte would cost a hundred times as much memory. */
const SMALL_BYTES = 16 * 1024

/**
 * Bytes that wait for their reader, first in, first out. However finely they were cut on their way, each is copied a few
 * times at most, and they are taken out in few pieces.
 */
export class ByteQueue {
  readonly #pieces: Uint8Array[] = []
  /** The last piece: it takes in what follows for as long as it is small. */
  readonly #last = new GrowingBytes()
  length = 0

  /** `isLent`: the bytes are valid for the time of the call only. */
  push(piece: Uint8Array, isLent = false): void {
    const { length } = piece
    if (length === 0) return
    this.length += length
    const filled = this.#last.length
    if (filled > 0 && filled < SMALL_BYTES && length < SMALL_BYTES) return this.#last.append(piece)
    this.#closeLast()
    this.#last.hold(isLent ? Buffer.from(piece) : piece)
  }

  /** The next piece; undefined when there is none. */
  shift(): Uint8Array | undefined {
    if (this.#pieces.length === 0) this.#closeLast()
    const piece = this.#pieces.shift()
    if (piece) this.length -= piece.length
    return piece
  }

  /** All that is here, in pieces. */
  takePieces(): Uint8Array[] {
    this.#closeLast()
    this.length = 0
    return this.#pieces.splice(0)
  }

  /** All that is here, in one piece, which no other reader shares. */
  takeAll(): Buffer {
    return joined(this.takePieces())
  }

  #closeLast(): void {
    if (this.#last.length > 0) this.#pieces.push(this.#last.take())
  }
}

/** One piece is not copied. */
export function joined(pieces: readonly Uint8Array[]): Buffer {
  return pieces.length === 1 ? asBuffer(pieces[0]!) : Buffer.concat(pieces)
}
