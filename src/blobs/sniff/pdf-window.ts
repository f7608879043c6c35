import { ByteQueue } from '../../bytes/byte-queue.ts'

/** Bytes before a find that stay readable: a number or two in front of a keyword. */
const LOOK_BACK_BYTES = 48

/** A part of a stream, moved forward only. What lies behind is forgotten, so a file of any size needs little memory. */
export class PdfWindow {
  readonly #source: AsyncIterator<Uint8Array>
  /** Nothing more comes. */
  ended = false
  bytes: Buffer = Buffer.alloc(0)
  /** All before it has been dealt with. */
  position = 0

  constructor(source: AsyncIterator<Uint8Array>) {
    this.#source = source
  }

  /** Where the word begins; the position is then behind it. Undefined at the end of the stream. */
  async find(word: Buffer): Promise<number | undefined> {
    for (;;) {
      const found = this.seek(word)
      if (found !== undefined || !(await this.grow(1))) return found
    }
  }

  /** The same among the bytes that are here already. */
  seek(word: Buffer): number | undefined {
    const found = this.bytes.indexOf(word, this.position)
    if (found < 0) this.position = Math.max(this.position, this.bytes.length - word.length + 1)
    else this.position = found + word.length
    return found < 0 ? undefined : found
  }

  /** Adds that many bytes, or fewer at the end of the stream; false when there are none. */
  async grow(wanted: number): Promise<boolean> {
    const kept = Math.max(0, this.position - LOOK_BACK_BYTES)
    const known = this.bytes.length - kept
    const buffered = new ByteQueue()
    buffered.push(this.bytes.subarray(kept))
    while (buffered.length < known + wanted && !this.ended) {
      const { done, value } = await this.#source.next()
      this.ended = done === true
      if (value) buffered.push(value)
    }
    this.bytes = buffered.takeAll()
    this.position -= kept
    return this.bytes.length > known
  }

  /** How many bytes lie ahead, known so far. */
  get ahead(): number {
    return this.bytes.length - this.position
  }
}
