import { WireFailure, type WireResponse } from '../../contract/wire.ts'
import { ChunkedBody } from './chunked-body.ts'
import { type ResponseHead, readHead, refuseHopeless } from './response-head.ts'

const HEAD_END = '\r\n\r\n'
const MAX_HEAD_BYTES = 64 * 1024
const NOTHING = Buffer.alloc(0)
const SWITCHING_PROTOCOLS = 101

/** Who is told of an answer. The bytes are lent for the time of the call only. */
export type Answered = {
  head(status: number, headers: WireResponse['headers']): void
  data(lent: Buffer): void
  end(): void
}

/** Reads the answers of one connection, one after the other. Knows nothing of sockets. */
export class ResponseReader {
  readonly #answered: Answered
  readonly #give: (piece: Buffer) => void
  /** The beginning of a head that has not come whole yet. */
  #begun: Buffer = NOTHING
  #head: ResponseHead | undefined
  #chunks: ChunkedBody | undefined
  #left = 0
  #isOver = true
  /** More came than was asked for: nothing on this connection can be believed any more. */
  isSpoilt = false

  constructor(answered: Answered) {
    this.#answered = answered
    this.#give = (piece) => answered.data(piece)
  }

  /** An answer is expected from here on. */
  begin(): void {
    this.#isOver = false
    this.#head = undefined
    this.#chunks = undefined
  }

  get keepsAlive(): boolean {
    return !this.isSpoilt && this.#isOver && this.#head?.keepsAlive === true
  }

  get keepsForMs(): number | undefined {
    return this.#head?.keepsForMs
  }

  feed(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#isOver) {
        this.isSpoilt = true
        return
      }
      at = this.#head ? this.#readBody(bytes, at, this.#head) : this.#readHead(bytes, at)
    }
  }

  /** The other side has closed: right where nothing else ends the answer, a loss anywhere else. */
  finish(): void {
    if (this.#isOver) return
    if (this.#head?.framing !== 'until the end') throw new WireFailure('reset')
    this.#end()
  }

  #readHead(bytes: Buffer, at: number): number {
    const known = this.#begun.length
    const all = known > 0 ? Buffer.concat([this.#begun, bytes.subarray(at)]) : bytes
    const start = known > 0 ? 0 : at
    const end = all.indexOf(HEAD_END, start, 'latin1')
    // Where the end is not here yet, it may have begun with the last bytes.
    const endsAfter = end < 0 ? all.length - HEAD_END.length + 1 : end
    if (endsAfter - start > MAX_HEAD_BYTES) throw new WireFailure('protocol')
    if (end < 0) {
      refuseHopeless(all.toString('latin1', start))
      this.#begun = Buffer.from(all.subarray(start))
      return bytes.length
    }
    this.#begun = NOTHING
    this.#open(readHead(all.toString('latin1', start, end)))
    return end + HEAD_END.length - known - start + at
  }

  /** What comes before an answer (an early hint) is passed over, unless it says that none will come. */
  #open(head: ResponseHead): void {
    const isEarly = head.status < 200
    if (isEarly && (head.status === SWITCHING_PROTOCOLS || !head.keepsAlive)) throw new WireFailure('protocol')
    if (isEarly) return
    this.#head = head
    if (head.framing === 'chunked') this.#chunks = new ChunkedBody()
    else this.#left = head.framing === 'until the end' ? Number.POSITIVE_INFINITY : head.framing
    this.#answered.head(head.status, head.headers)
    if (head.framing === 0) this.#end()
  }

  #readBody(bytes: Buffer, at: number, { framing }: ResponseHead): number {
    if (framing === 'chunked') {
      const end = this.#chunks!.read(bytes, at, this.#give)
      if (this.#chunks!.done) this.#end()
      return end
    }
    const end = Math.min(bytes.length, at + this.#left)
    this.#left -= end - at
    this.#answered.data(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end))
    if (this.#left === 0) this.#end()
    return end
  }

  #end(): void {
    this.#isOver = true
    this.#answered.end()
  }
}
