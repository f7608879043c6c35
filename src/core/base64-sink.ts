import type { Overflow } from '../blobs/overflow.ts'
import type { ImageShelf } from './image-shelf.ts'

/** Base64 as the bytes of its characters: as text it would be copied with every step, and an image is megabytes. */
export type Base64 = {
  length: number
  /** Its beginning, which tells what it is. */
  head: Uint8Array
  /** From its beginning, as often as wanted. A chunk is good until the next is asked for. */
  read(): AsyncIterable<Uint8Array>
}

/** What is shorter is not worth a file. */
const HELD_BYTES = 128 * 1024
/** Whole groups of four characters. */
const HEAD_CHARS = 88 * 1024

/** Base64 that arrives: held in memory while it is short, on the shelf from then on. */
export class Base64Sink {
  readonly #shelf: ImageShelf
  #held: Uint8Array[] = []
  #head: Uint8Array | undefined
  #overflow: Overflow | undefined
  #length = 0

  constructor(shelf: ImageShelf) {
    this.#shelf = shelf
  }

  async append(characters: Uint8Array): Promise<void> {
    this.#length += characters.length
    if (this.#overflow) return await this.#overflow.append(characters)
    this.#held.push(characters)
    if (this.#length > HELD_BYTES) await this.#moveOut()
  }

  end(): Base64 {
    const [length, overflow] = [this.#length, this.#overflow]
    if (overflow) return { length, head: this.#head!, read: () => overflow.read(0, length) }
    return heldBase64(Buffer.concat(this.#held))
  }

  async #moveOut(): Promise<void> {
    this.#overflow = this.#shelf.open()
    const held = this.#held.splice(0)
    this.#head = Buffer.concat(held, HEAD_CHARS)
    for (const characters of held) await this.#overflow.append(characters)
  }
}

export function heldBase64(characters: Uint8Array): Base64 {
  const { length } = characters
  return { length, head: characters.subarray(0, HEAD_CHARS), read }

  async function* read() {
    yield characters
  }
}
