import { isUtf8 } from 'node:buffer'
import { ByteQueue } from '../../base/bytes/byte-queue.ts'
import { GrowingBytes } from '../../base/bytes/growing-bytes.ts'
import { problem } from '../../contract/problems.ts'
import { formProblem, type PartHeaders, readBoundary, readPartHeaders } from './multipart-headers.ts'
import { MB } from '../../base/units/units.ts'

const DEFAULT_LIMITS = { maxParts: 100, maxHeaderBytes: 8 * 1024, maxFieldBytes: MB }
/** How much may precede the first and follow the last boundary. Both are ignored. */
const MAX_MARGIN_BYTES = 8 * 1024
const MAX_PADDING_BYTES = 64

const LINE_END = Buffer.from('\r\n')
const HEADERS_END = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)
const [TAB, LF, CR, SPACE, DASH] = [0x09, 0x0a, 0x0d, 0x20, 0x2d]

export type MultipartLimits = Partial<typeof DEFAULT_LIMITS>

/** `ordered`: the place of a part says what it is, and not its name; it may be a multipart/related body (RFC 2387), too. */
type Parts = 'named' | 'ordered'

/** A field, or a file if there is a `filename`. The bytes can be read until the next part is requested. */
export type Part = PartHeaders & { bytes: AsyncIterable<Uint8Array> }

// @fastify/busboy does not replace this (docs/dependencies.md has the list). It silently skips a part that it does not
// understand and truncates headers at their limit, so the caller would not learn that a field was lost. A form that two
// parsers could understand differently has to be refused. busboy also reads ahead of the consumer.

/**
 * Yields the parts of a multipart/form-data body (RFC 7578), one after the other. Nothing is read ahead, and no more of a
 * file is held than the chunk that arrived. Unread bytes of a part are skipped. To be able to answer a caller whose form is
 * refused in the middle, pass the request as `request.iterator({ destroyOnReturn: false })`.
 */
export async function* readMultipart(
  contentType: string,
  source: AsyncIterable<Uint8Array>,
  limits: MultipartLimits = {},
  parts: Parts = 'named',
): AsyncGenerator<Part> {
  const boundary = readBoundary(contentType, parts === 'ordered')
  const form = new FormReader(boundary, source[Symbol.asyncIterator](), { ...DEFAULT_LIMITS, ...limits }, parts)
  try {
    for (let part = await form.nextPart(); part; part = await form.nextPart()) yield part
  } finally {
    await form.leave()
  }
}

/** The text of a field. */
export async function readField({ name, bytes }: Part): Promise<string> {
  const buffered = new ByteQueue()
  for await (const chunk of bytes) buffered.push(chunk)
  const text = buffered.takeAll()
  if (!isUtf8(text)) throw formProblem('Input should be text in UTF-8', name)
  return text.toString('utf8')
}

type ReaderState = 'before' | 'content' | 'headers' | 'end'

class FormReader {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #limits: typeof DEFAULT_LIMITS
  readonly #delimiter: Buffer
  readonly #isOrdered: boolean
  /** Bytes that have arrived and were not passed on yet. The first boundary has no line end before it, so one is added. */
  readonly #window = new GrowingBytes()
  #state: ReaderState = 'before'
  #parts = 0
  /** The number of the part whose bytes may be read. */
  #readable = 0

  constructor(boundary: string, source: AsyncIterator<Uint8Array>, limits: typeof DEFAULT_LIMITS, parts: Parts) {
    this.#source = source
    this.#isOrdered = parts === 'ordered'
    this.#limits = limits
    this.#delimiter = Buffer.from(`\r\n--${boundary}`)
    this.#window.append(LINE_END)
  }

  async nextPart(): Promise<Part | undefined> {
    this.#readable = 0
    if (this.#state === 'before') await this.#skipPreamble()
    while (this.#state === 'content') await this.#nextChunk()
    if (this.#state === 'end') return this.#skipEpilogue()
    this.#parts++
    if (this.#parts > this.#limits.maxParts)
      throw problem('too_large', { message: `The form has more than ${this.#limits.maxParts} parts.` })
    const block = await this.#takeHeaders()
    const headers = this.#isOrdered ? { name: '', filename: '' } : readPartHeaders(block)
    this.#state = 'content'
    this.#readable = this.#parts
    return { ...headers, bytes: this.#bytesOf(headers, this.#parts) }
  }

  async leave(): Promise<void> {
    await this.#source.return?.()
  }

  async *#bytesOf({ name, filename }: PartHeaders, part: number): AsyncGenerator<Uint8Array> {
    const { maxFieldBytes } = this.#limits
    for (let size = 0; ; ) {
      if (this.#readable !== part) throw new Error('this part of the form can no longer be read')
      if (this.#state !== 'content') return
      const chunk = await this.#nextChunk()
      size += chunk.length
      if (filename === undefined && size > maxFieldBytes)
        throw problem('too_large', {
          message: `A field of the form is larger than ${maxFieldBytes} bytes.`,
          param: name,
        })
      if (chunk.length > 0) yield chunk
    }
  }

  async #skipPreamble(): Promise<void> {
    for (let skipped = 0; this.#state === 'before'; ) {
      skipped += (await this.#nextChunk()).length
      if (skipped > MAX_MARGIN_BYTES)
        throw formProblem('The form does not begin with the boundary in the Content-Type.')
    }
  }

  async #skipEpilogue(): Promise<undefined> {
    for (let skipped = this.#length; ; skipped += this.#length) {
      if (skipped > MAX_MARGIN_BYTES) throw formProblem('The form goes on after its last boundary.')
      this.#window.take(this.#length)
      if (!(await this.#more())) return
    }
  }

  /** The next bytes of the content, which may be empty. At a boundary, the state changes. */
  async #nextChunk(): Promise<Buffer> {
    const found = this.#window.bytes.indexOf(this.#delimiter)
    if (found > 0) return this.#window.take(found)
    if (found === 0) return this.#passBoundary()
    const chunk = this.#window.take(this.#certainBytes())
    if (chunk.length === 0) await this.#need()
    return chunk
  }

  /** How many bytes cannot be the beginning of a boundary. A boundary has its only CR in front, so the last CR decides. */
  #certainBytes(): number {
    const { bytes } = this.#window
    const { length } = bytes
    const tail = bytes.subarray(Math.max(0, length - this.#delimiter.length + 1))
    const start = tail.lastIndexOf(CR)
    if (start < 0) return length
    const begins = this.#delimiter.subarray(0, tail.length - start).equals(tail.subarray(start))
    return begins ? length - tail.length + start : length
  }

  /** The window starts with a boundary. The last boundary is followed by `--`, the others by the end of their line. */
  async #passBoundary(): Promise<Buffer> {
    let end = this.#delimiter.length
    await this.#needBytes(end + 2)
    if (this.#at(end) === DASH && this.#at(end + 1) === DASH) return this.#goTo('end', end + 2)
    const furthest = end + MAX_PADDING_BYTES
    while (end < furthest && (this.#at(end) === SPACE || this.#at(end) === TAB)) await this.#needBytes(++end + 2)
    if (this.#at(end) === CR && this.#at(end + 1) === LF) return this.#goTo('headers', end + 2)
    throw formProblem('The boundary of the form is at a place where it does not end a part.')
  }

  async #takeHeaders(): Promise<Buffer> {
    const { maxHeaderBytes } = this.#limits
    for (let searched = 0; ; ) {
      const { bytes } = this.#window
      const end = bytes.indexOf(HEADERS_END, searched)
      if (end > maxHeaderBytes || (end < 0 && bytes.length > maxHeaderBytes + HEADERS_END.length))
        throw problem('too_large', { message: `The headers of a part are larger than ${maxHeaderBytes} bytes.` })
      if (bytes.subarray(0, LINE_END.length).equals(LINE_END)) throw formProblem('A part of the form has no name.')
      if (end >= 0) return this.#window.take(end + HEADERS_END.length).subarray(0, end)
      searched = Math.max(0, bytes.length - HEADERS_END.length + 1)
      await this.#need()
    }
  }

  #goTo(state: ReaderState, passed: number): Buffer {
    this.#state = state
    this.#window.take(passed)
    return NOTHING
  }

  get #length(): number {
    return this.#window.length
  }

  #at(index: number): number | undefined {
    return this.#window.bytes[index]
  }

  async #needBytes(length: number): Promise<void> {
    while (this.#length < length) await this.#need()
  }

  async #need(): Promise<void> {
    if (!(await this.#more()))
      throw formProblem('The form ends before its last boundary. It may have been truncated during the transfer.')
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#source.next()
    if (done) return false
    if (this.#length === 0) this.#window.hold(value)
    else this.#window.append(value)
    return true
  }
}
