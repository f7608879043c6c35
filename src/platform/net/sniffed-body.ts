import { ByteQueue } from '../../base/bytes/byte-queue.ts'
import type { WireBody } from '../../translation/wire/wire.ts'
import type { Reach } from './event-reader.ts'

const LF = 10
/** Tab, line feed, carriage return, space, and the three bytes of the mark that some servers put in front of UTF-8. */
const WHITE_SPACE: ReadonlySet<number> = new Set([9, LF, 13, 32, 0xef, 0xbb, 0xbf])

/** A body whose beginning is looked at before it is known how to read it. White space in front of it is left out. */
export class SniffedBody {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #reach: Reach
  readonly #taken = new ByteQueue()
  #isOver = false

  constructor(body: WireBody, reach: Reach) {
    this.#source = body[Symbol.asyncIterator]()
    this.#reach = reach
  }

  /** Undefined if the body is empty. */
  async firstByte(): Promise<number | undefined> {
    for (let piece = await this.#read(); piece; piece = await this.#read()) {
      const start = piece.findIndex((byte) => !WHITE_SPACE.has(byte))
      if (start < 0) continue
      this.#taken.push(piece.subarray(start))
      return piece[start]
    }
    return undefined
  }

  /** The first line, which may be the whole body. To be called after firstByte, if the rest of the body has to wait for it. */
  async firstLine(maxBytes: number): Promise<string | undefined> {
    let piece = this.#taken.takeAll()
    const line = new ByteQueue()
    for (;;) {
      const end = piece.indexOf(LF)
      line.push(end < 0 ? piece : piece.subarray(0, end))
      this.#taken.push(piece)
      if (end >= 0) return line.takeAll().toString('utf8')
      const next = line.length > maxBytes ? undefined : await this.#read()
      if (!next) return undefined
      piece = Buffer.from(next)
    }
  }

  /** The whole body. */
  replay(): WireBody {
    const source = this.#source
    const taken = this.#taken.takePieces()
    const next = () => {
      const piece = taken.shift()
      if (piece) return Promise.resolve({ done: false as const, value: piece })
      return this.#isOver ? Promise.resolve(OVER) : source.next()
    }
    const leave = () => source.return?.() ?? Promise.resolve(OVER)
    return { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
  }

  close(): void {
    void this.#source.return?.()
  }

  async #read(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#source.next()
    this.#isOver = done === true
    if (done) return undefined
    const waiting = this.#reach(this.#taken.length + value.length)
    if (waiting) await waiting
    return value
  }
}

const OVER = { done: true as const, value: undefined }
