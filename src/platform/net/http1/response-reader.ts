import { WireFailure, type WireResponse } from '../../../translation/wire/wire.ts'
import { ChunkedBody } from './chunked-body.ts'
import { HeadBytes } from './head-bytes.ts'
import { type ResponseHead, readHead } from './response-head.ts'

const SWITCHING_PROTOCOLS = 101
/** The maximum number of interim responses. Servers send a few at most; without a limit they could go on forever. */
const MAX_EARLY_HEADS = 100

/** Receives an answer. The bytes are valid only during the call. */
export type ResponseReceiver = {
  head(status: number, headers: WireResponse['headers']): void
  data(lent: Buffer): void
  end(): void
}

/** Parses the answers of one connection, one after the other, without knowing about sockets. */
export class ResponseReader {
  readonly #receiver: ResponseReceiver
  readonly #give: (piece: Buffer) => void
  readonly #headBytes = new HeadBytes()
  #earlyHeads = 0
  #head: ResponseHead | undefined
  #chunks: ChunkedBody | undefined
  #remaining = 0
  #isOver = true
  /** Unexpected bytes arrived, so nothing on this connection can be trusted any more. */
  isSpoilt = false

  constructor(answered: ResponseReceiver) {
    this.#receiver = answered
    this.#give = (piece) => answered.data(piece)
  }

  /** From here on, an answer is expected. */
  begin(): void {
    this.#isOver = false
    this.#head = undefined
    this.#chunks = undefined
    this.#earlyHeads = 0
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

  /** The server has closed the connection. That is correct if nothing else ends the answer, and an error otherwise. */
  finish(): void {
    if (this.#isOver) return
    if (this.#head?.framing !== 'until the end') throw new WireFailure('reset')
    this.#end()
  }

  #readHead(bytes: Buffer, at: number): number {
    const end = this.#headBytes.read(bytes, at)
    if (this.#headBytes.text !== undefined) this.#open(readHead(this.#headBytes.text))
    return end
  }

  /** Interim responses (early hints) are skipped, unless they mean that no answer will come. */
  #open(head: ResponseHead): void {
    const isEarly = head.status < 200
    if (isEarly && (head.status === SWITCHING_PROTOCOLS || !head.keepsAlive)) throw new WireFailure('protocol')
    if (isEarly) return this.#passOver()
    this.#head = head
    if (head.framing === 'chunked') this.#chunks = new ChunkedBody()
    else this.#remaining = head.framing === 'until the end' ? Number.POSITIVE_INFINITY : head.framing
    this.#receiver.head(head.status, head.headers)
    if (head.framing === 0) this.#end()
  }

  #passOver(): void {
    if (++this.#earlyHeads > MAX_EARLY_HEADS) throw new WireFailure('protocol')
  }

  #readBody(bytes: Buffer, at: number, { framing }: ResponseHead): number {
    if (framing === 'chunked') {
      const end = this.#chunks!.read(bytes, at, this.#give)
      if (this.#chunks!.done) this.#end()
      return end
    }
    const end = Math.min(bytes.length, at + this.#remaining)
    this.#remaining -= end - at
    this.#receiver.data(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end))
    if (this.#remaining === 0) this.#end()
    return end
  }

  #end(): void {
    this.#isOver = true
    this.#receiver.end()
  }
}
