import type { Overflow } from '../blobs/overflow.ts'
import { ByteQueue } from '../bytes/byte-queue.ts'
import { inBlocks } from '../bytes/in-blocks.ts'
import type { ImageShelf } from './image-shelf.ts'

/** Bytes that may lie on the shelf: those of an upload, or the bytes of an image's base64. */
export type Shelved = {
  length: number
  /** The beginning, which tells what it is. */
  head: Uint8Array
  /** From the beginning, as often as wanted. */
  read(): AsyncIterable<Uint8Array>
}

/** What is shorter is not worth a file. */
export const HELD_BYTES = 128 * 1024
/** In whole groups of four characters, for base64. */
const HEAD_BYTES = 88 * 1024

/** Bytes that arrive: held in memory while they are few, on the shelf from then on. */
export class ShelfSink {
  readonly #shelf: ImageShelf
  readonly #held = new ByteQueue()
  #head: Uint8Array | undefined
  #overflow: Overflow | undefined
  #length = 0

  constructor(shelf: ImageShelf) {
    this.#shelf = shelf
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#length += bytes.length
    if (this.#overflow) return await this.#overflow.append(bytes)
    this.#held.push(bytes)
    if (this.#length > HELD_BYTES) await this.#moveOut()
  }

  end(): Shelved {
    const [length, overflow] = [this.#length, this.#overflow]
    if (overflow) return { length, head: this.#head!, read: () => overflow.read(0, length) }
    return heldBytes(this.#held.takeAll())
  }

  async #moveOut(): Promise<void> {
    this.#overflow = this.#shelf.open()
    const held = this.#held.takePieces()
    this.#head = Buffer.concat(held, HEAD_BYTES)
    for (const bytes of held) await this.#overflow.append(bytes)
  }
}

export function heldBytes(bytes: Uint8Array): Shelved {
  const { length } = bytes
  return { length, head: bytes.subarray(0, HEAD_BYTES), read }

  async function* read() {
    yield bytes
  }
}

/** Bytes as they arrive. */
export async function toShelf(bytes: AsyncIterable<Uint8Array>, shelf: ImageShelf): Promise<Shelved> {
  const sink = new ShelfSink(shelf)
  for await (const block of inBlocks(bytes)) await sink.append(block)
  return sink.end()
}

/** All of it in memory, for who cannot take it otherwise. */
export async function loaded({ length, read }: Pick<Shelved, 'length' | 'read'>): Promise<Uint8Array> {
  const room = Buffer.allocUnsafeSlow(length)
  let size = 0
  for await (const chunk of read()) {
    if (size + chunk.length > length) throw otherLength()
    room.set(chunk, size)
    size += chunk.length
  }
  // What is left of the room holds whatever stood there before.
  if (size < length) throw otherLength()
  return room
}

function otherLength(): Error {
  return new Error('A stored file has another length than was written down')
}
