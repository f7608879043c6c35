import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'

/**
 * Writes a body of unknown length. Node makes four writes for each piece (its length, a line end, the piece, a line end). A
 * stream of tokens consists mostly of small pieces, so the chunk framing is added here and each piece is one write.
 */
export class FramedBody {
  readonly #raw: ServerResponse
  readonly #framed: boolean

  /** Create it after the head was written, because only then is it known whether this client gets chunks. */
  constructor(raw: ServerResponse) {
    this.#raw = raw
    this.#framed = raw.chunkedEncoding
    // From here on, Node writes our bytes to the body unchanged.
    raw.chunkedEncoding = false
  }

  /** Returns false if the client's buffer is full. */
  write(text: string): boolean {
    // An empty chunk would end the body.
    if (text === '') return true
    const length = Buffer.byteLength(text)
    // Most text is ASCII, which Node writes faster as Latin-1.
    const encoding = length === text.length ? 'latin1' : 'utf8'
    return this.#raw.write(this.#framed ? `${length.toString(16)}\r\n${text}\r\n` : text, encoding)
  }

  end(): void {
    this.#raw.end(this.#framed ? '0\r\n\r\n' : undefined)
  }

  /**
   * Ends the body without its last chunk, so that a client that ignores the error in it does not take it for complete. The
   * client first has `waitMs` to read what was sent and to close: Node's fetch discards what its reader has not taken yet
   * when it finds that the connection has ended. A body without chunks (HTTP/1.0) can only end.
   */
  cut(waitMs: number): void {
    if (!this.#framed) return this.end()
    const raw = this.#raw
    const wait = () => {
      const timer = setTimeout(() => hangUp(raw), waitMs)
      raw.once('close', () => clearTimeout(timer))
    }
    if (raw.writableNeedDrain) raw.once('drain', wait)
    else wait()
  }
}

/** Closes with a FIN behind the last bytes. The connection cannot be used again, because its last body has no end. */
function hangUp(raw: ServerResponse): void {
  const { socket } = raw.req
  raw.end()
  socket.destroySoon()
}
