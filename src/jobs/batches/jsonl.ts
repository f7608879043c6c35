import { ByteQueue } from '../../base/bytes/byte-queue.ts'

/** A line of a file, with its place in bytes. The number counts from 1, and counts empty lines, too. */
export type TextLine = {
  number: number
  begins: number
  length: number
  /** Without the end of the line; undefined if the line is too long. */
  bytes: Buffer | undefined
}

const NEWLINE = 0x0a
const RETURN = 0x0d
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const MARK_BYTES = BYTE_ORDER_MARK.length

/**
 * The lines of a file, with LF or CRLF, that are not empty. At most `maxBytes` of a line are held: a longer one is passed on without its
 * bytes. No byte is looked at twice, however small the pieces are that arrive.
 */
export async function* textLines(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<TextLine> {
  const line = new LineCollector(maxBytes)
  for await (const piece of bytes) {
    const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    for (let start = 0; start < buffer.length; ) {
      const end = buffer.indexOf(NEWLINE, start)
      line.add(buffer.subarray(start, end < 0 ? buffer.length : end))
      if (end < 0) break
      const ended = line.end(1)
      if (ended) yield ended
      start = end + 1
    }
  }
  const last = line.end(0)
  if (last) yield last
}

class LineCollector {
  readonly #maxBytes: number
  #pieces = new ByteQueue()
  #number = 1
  #begins = 0
  #length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  add(piece: Uint8Array): void {
    this.#length += piece.length
    if (this.#length > this.#maxBytes) this.#pieces = new ByteQueue()
    // The memory of a piece may be used for the next one.
    else this.#pieces.push(piece, true)
  }

  /** Undefined for an empty line. */
  end(newlineBytes: number): TextLine | undefined {
    const [number, length, begins] = [this.#number++, this.#length, this.#begins]
    const isHeld = length <= this.#maxBytes
    const bytes = isHeld ? this.#pieces.takeAll() : undefined
    this.#length = 0
    this.#begins += length + newlineBytes
    if (!bytes) return { number, begins, length, bytes }
    const mark = begins === 0 && bytes.subarray(0, MARK_BYTES).equals(BYTE_ORDER_MARK) ? MARK_BYTES : 0
    const end = bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length
    if (end <= mark) return undefined
    return { number, begins: begins + mark, length: end - mark, bytes: bytes.subarray(mark, end) }
  }
}
