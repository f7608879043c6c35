import { ByteQueue } from '../bytes/byte-queue.ts'

/** How many bytes before a match stay readable: a number or two in front of a keyword. */
const LOOK_BACK_BYTES = 48

/**
 * A window of a stream that moves only forward. What is behind it is discarded, so a file of any size needs little memory.
 */
export class PdfWindow {
  readonly #source: AsyncIterator<Uint8Array>
  /** Whether the stream has ended. */
  ended = false
  bytes: Buffer = Buffer.alloc(0)
  /** Everything before this position has been processed. */
  position = 0

  constructor(source: AsyncIterator<Uint8Array>) {
    this.#source = source
  }

  /** Returns where the word begins, and moves the position behind it. Returns undefined at the end of the stream. */
  async find(word: Buffer): Promise<number | undefined> {
    for (;;) {
      const found = this.seek(word)
      if (found !== undefined || !(await this.grow(1))) return found
    }
  }

  /** Like find, but looks only at the bytes that have already arrived. */
  seek(word: Buffer): number | undefined {
    const found = this.bytes.indexOf(word, this.position)
    if (found < 0) this.position = Math.max(this.position, this.bytes.length - word.length + 1)
    else this.position = found + word.length
    return found < 0 ? undefined : found
  }

  /** Adds this many bytes, or fewer at the end of the stream. Returns false if there are none. */
  async grow(count: number): Promise<boolean> {
    const start = Math.max(0, this.position - LOOK_BACK_BYTES)
    const previousLength = this.bytes.length - start
    const buffered = new ByteQueue()
    buffered.push(this.bytes.subarray(start))
    while (buffered.length < previousLength + count && !this.ended) {
      const { done, value } = await this.#source.next()
      this.ended = done === true
      if (value) buffered.push(value)
    }
    this.bytes = buffered.takeAll()
    this.position -= start
    return this.bytes.length > previousLength
  }

  /** How many bytes have arrived beyond the position. */
  get ahead(): number {
    return this.bytes.length - this.position
  }
}
