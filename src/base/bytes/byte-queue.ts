import { Buffer } from 'node:buffer'
import { asBuffer } from './as-buffer.ts'
import { GrowingBytes } from './growing-bytes.ts'

/** Smaller pieces are merged: a Buffer of its own for every byte would cost a hundred times as much memory. */
const SMALL_BYTES = 16 * 1024

/**
 * A first-in, first-out queue of bytes. However small the pieces are that come in, each byte is copied only a few times,
 * and the bytes come out in a few large pieces.
 */
export class ByteQueue {
  readonly #pieces: Uint8Array[] = []
  /** The last piece. It grows as long as it is small. */
  readonly #last = new GrowingBytes()
  length = 0

  /** `isLent` means that the bytes are valid only during this call. */
  push(piece: Uint8Array, isLent = false): void {
    const { length } = piece
    if (length === 0) return
    this.length += length
    const filled = this.#last.length
    if (filled > 0 && filled < SMALL_BYTES && length < SMALL_BYTES) return this.#last.append(piece)
    this.#closeLast()
    this.#last.hold(isLent ? Buffer.from(piece) : piece)
  }

  /** Returns the next piece, or undefined if the queue is empty. */
  shift(): Uint8Array | undefined {
    if (this.#pieces.length === 0) this.#closeLast()
    const piece = this.#pieces.shift()
    if (piece) this.length -= piece.length
    return piece
  }

  /** Takes everything, in pieces. */
  takePieces(): Uint8Array[] {
    this.#closeLast()
    this.length = 0
    return this.#pieces.splice(0)
  }

  /** Takes everything as one piece, which no other reader shares. */
  takeAll(): Buffer {
    return joined(this.takePieces())
  }

  #closeLast(): void {
    if (this.#last.length > 0) this.#pieces.push(this.#last.take())
  }
}

/** A single piece is not copied. */
export function joined(pieces: readonly Uint8Array[]): Buffer {
  return pieces.length === 1 ? asBuffer(pieces[0]!) : Buffer.concat(pieces)
}
