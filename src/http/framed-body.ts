import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'

/**
 * Writes the pieces of a body of unknown length. Node makes four writes of each (its length, a line end, the piece, a line
 * end); a stream of tokens is mostly small pieces, and framed here each is one.
 */
export class FramedBody {
  readonly #raw: ServerResponse
  readonly #framed: boolean

  /** After the head was written: only then is it known whether this client gets chunks. */
  constructor(raw: ServerResponse) {
    this.#raw = raw
    this.#framed = raw.chunkedEncoding
    // From here on Node takes what it is given as the body's bytes.
    raw.chunkedEncoding = false
  }

  /** False: the line is full. */
  write(text: string): boolean {
    // A piece of no length is how a body ends.
    if (text === '') return true
    const length = Buffer.byteLength(text)
    // Most is ASCII, and Node writes that faster when it need not look for more.
    const encoding = length === text.length ? 'latin1' : 'utf8'
    return this.#raw.write(this.#framed ? `${length.toString(16)}\r\n${text}\r\n` : text, encoding)
  }

  end(): void {
    this.#raw.end(this.#framed ? '0\r\n\r\n' : undefined)
  }
}
