import { Buffer } from 'node:buffer'

/** Pieces below this size are put together: a Buffer of its own for every byte would cost a hundred times as much memory. */
const SMALL_BYTES = 16 * 1024
const FIRST_ROOM_BYTES = 1024

/**
 * Bytes that wait for their reader, first in, first out. However finely they were cut on their way, each is copied a few
 * times at most, and they are taken out in few pieces.
 */
export class ByteQueue {
  readonly #pieces: Uint8Array[] = []
  /** The last piece: it takes in what follows for as long as it is small. */
  #last: Uint8Array | undefined
  /** How much of the last piece is filled. */
  #filled = 0
  length = 0

  /** `isLent`: the bytes are valid for the time of the call only. */
  push(piece: Uint8Array, isLent = false): void {
    const { length } = piece
    if (length === 0) return
    this.length += length
    if (this.#last && length < SMALL_BYTES && this.#filled < SMALL_BYTES) return this.#append(this.#last, piece)
    this.#closeLast()
    this.#last = isLent ? Buffer.from(piece) : piece
    this.#filled = length
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
    const pieces = this.takePieces()
    return pieces.length === 1 ? asBuffer(pieces[0]!) : Buffer.concat(pieces)
  }

  #append(last: Uint8Array, piece: Uint8Array): void {
    const filled = this.#filled + piece.length
    if (filled > last.length) this.#last = withRoom(last, this.#filled, filled)
    this.#last!.set(piece, this.#filled)
    this.#filled = filled
  }

  #closeLast(): void {
    if (this.#last)
      this.#pieces.push(this.#filled < this.#last.length ? this.#last.subarray(0, this.#filled) : this.#last)
    this.#last = undefined
  }
}

/** Twice as much as is needed now, so that a byte is moved only a few times. */
function withRoom(bytes: Uint8Array, filled: number, needed: number): Uint8Array {
  const room = Buffer.allocUnsafeSlow(Math.max(FIRST_ROOM_BYTES, needed * 2))
  room.set(bytes.subarray(0, filled))
  return room
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}
