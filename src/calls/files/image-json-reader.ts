import { asBuffer } from '../../base/bytes/as-buffer.ts'
import { isAscii } from 'node:buffer'
import { ByteQueue } from '../../base/bytes/byte-queue.ts'
import { problem } from '../../contract/problems.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { WireFailure } from '../../translation/wire/wire.ts'
import { MAX_STRINGS } from '../../translation/json/outline.ts'
import { type TempBytes, TempFileWriter } from './temp-file-writer.ts'
import type { TempFiles } from './temp-files.ts'
import { MB } from '../../base/units/units.ts'

// JSON with images is megabytes of base64 with a few fields around it. Only the fields are kept in memory: the base64 of an
// image is written to a temp file as it arrives, and an unguessable marker takes its place.

/** No other field is this long, and shorter images are not worth a temp file. */
const LONG_BYTES = 64 * 1024
const MAX_JSON_BYTES = 16 * MB
const QUOTE = 0x22
const BACKSLASH = 0x5c
const SMALL_U = 0x75
const BEGINNING_CHARS = 512
/** Escapes within base64: some senders escape slashes, some every character that has a meaning in HTML. */
const ESCAPE = /\\(?:u00([2-7][0-9a-f])|([/rn]))/gi

/** The sender of the JSON: how an image begins there, and the errors for invalid images and for too much other text. */
type Writer = { beginning: RegExp; noImage(): Error; tooLong(): Error }

/** Providers send images as data URLs or as bare base64. */
export const PROVIDER: Writer = {
  beginning: /^(data:image\/[\w.+-]+;base64,)?[A-Za-z0-9+/_\-\\]*$/i,
  noImage: () => new UpstreamProblem('garbage', 'the provider answered with something that is not an image in base64'),
  tooLong: () => new WireFailure('protocol'),
}

/** Callers send images as data URLs. Other long strings stay as they are. */
export const CALLER: Writer = {
  beginning: /^(data:image\/[\w.+-]+(?:;[\w.+=-]+)*;base64,)[A-Za-z0-9+/_\-\\]*$/i,
  noImage: () => {
    const msg = 'A data URL contains something that is not base64'
    return problem('validation_error', { message: `${msg}.`, detail: [{ loc: ['body'], msg, type: 'value_error' }] })
  },
  tooLong: () => problem('too_large'),
}

export class ImageJsonReader {
  /** The temp files, by their markers. */
  readonly longs = new Map<string, TempBytes>()
  readonly #tempFiles: TempFiles
  readonly #mark: string
  readonly #writer: Writer
  readonly #json = new ByteQueue()
  #strings = 0
  #carried: Uint8Array | undefined
  #isInString = false
  /** The string that is being read: its beginning while it may still be short, or the temp file that it is written to. */
  readonly #beginning = new ByteQueue()
  #sink: TempFileWriter | undefined
  /** The string that is being read is long and not an image, so the rest of it is not examined. */
  #isText = false

  constructor(tempFiles: TempFiles, secret: string, writer: Writer) {
    this.#tempFiles = tempFiles
    this.#writer = writer
    this.#mark = `image${secret.replaceAll('-', '')}n`
  }

  async push(chunk: Uint8Array): Promise<void> {
    const text = this.#withCarried(chunk)
    for (let at = 0; at < text.length; ) {
      const next = this.#isInString ? this.#inside(text, at) : this.#between(text, at)
      // Only disk writes are awaited. A promise for each of many short texts would take most of the time.
      at = typeof next === 'number' ? next : await next
    }
  }

  /** What there is of it so far, for a reader that takes events one by one. */
  takeKept(): Uint8Array[] {
    return this.#json.takePieces()
  }

  /** The JSON with markers in the place of images. */
  end(): Buffer {
    this.#keepBeginning()
    if (this.#carried) this.#keep(this.#carried)
    return this.#json.takeAll()
  }

  get keptBytes(): number {
    return this.#json.length
  }

  /** Never splits an escape. */
  #withCarried(chunk: Uint8Array): Buffer {
    const text = this.#carried ? Buffer.concat([this.#carried, chunk]) : asBuffer(chunk)
    const whole = wholeEscapes(text)
    this.#carried = whole < text.length ? text.subarray(whole) : undefined
    return text.subarray(0, whole)
  }

  #between(text: Buffer, at: number): number {
    const quote = text.indexOf(QUOTE, at)
    const end = quote < 0 ? text.length : quote + 1
    this.#keep(text.subarray(at, end))
    this.#isInString = quote >= 0
    if (this.#isInString && ++this.#strings > MAX_STRINGS) throw this.#writer.tooLong()
    return end
  }

  #inside(text: Buffer, at: number): number | Promise<number> {
    const quote = closingQuote(text, at)
    const taken = this.#take(text.subarray(at, quote < 0 ? text.length : quote))
    return taken ? taken.then(() => this.#leave(text, quote)) : this.#leave(text, quote)
  }

  #leave(text: Buffer, quote: number): number {
    if (quote < 0) return text.length
    this.#endString()
    this.#keep(text.subarray(quote, quote + 1))
    this.#isInString = false
    return quote + 1
  }

  #take(piece: Buffer): Promise<void> | undefined {
    if (this.#sink) return this.#sink.append(this.#base64Only(unescaped(piece)))
    if (this.#isText) return void this.#keep(piece)
    this.#beginning.push(piece, true)
    return this.#beginning.length > LONG_BYTES ? this.#layDown() : undefined
  }

  /** A long string that is not an image is kept like any other text. */
  async #layDown(): Promise<void> {
    const begun = this.#beginning.takeAll()
    const beginning = unescaped(begun)
    const found = this.#writer.beginning.exec(beginning.toString('latin1', 0, BEGINNING_CHARS))
    this.#isText = !found
    if (!found) return this.#keep(begun)
    const [, type = ''] = found
    this.#sink = new TempFileWriter(this.#tempFiles)
    this.#keep(beginning.subarray(0, type.length))
    await this.#sink.append(this.#base64Only(beginning.subarray(type.length)))
  }

  #endString(): void {
    this.#keepBeginning()
    this.#isText = false
    if (!this.#sink) return
    const mark = `${this.#mark}${this.longs.size}`
    this.longs.set(mark, this.#sink.end())
    this.#keep(Buffer.from(mark))
    this.#sink = undefined
  }

  #keepBeginning(): void {
    for (const piece of this.#beginning.takePieces()) this.#keep(piece)
  }

  /** Copies the bytes, because a small view would keep the whole chunk in memory. */
  #keep(piece: Uint8Array): void {
    this.#json.push(piece, true)
    if (this.#json.length > MAX_JSON_BYTES) throw this.#writer.tooLong()
  }

  /** Nothing but base64 is allowed, least of all a character that ends the string. */
  #base64Only(piece: Buffer): Uint8Array {
    if (isAscii(piece) && !piece.includes(BACKSLASH) && !piece.includes(QUOTE)) return piece
    throw this.#writer.noImage()
  }
}

/** Joins broken lines and replaces escaped base64 characters. Other escapes stay, so that they are found to be invalid. */
function unescaped(piece: Buffer): Buffer {
  if (!piece.includes(BACKSLASH)) return piece
  const text = piece.toString('latin1').replace(ESCAPE, (_, code?: string, letter?: string) => {
    if (code) return String.fromCharCode(Number.parseInt(code, 16))
    return letter === '/' ? '/' : ''
  })
  return Buffer.from(text, 'latin1')
}

/** The end of the part that does not end within an escape. */
function wholeEscapes(text: Buffer): number {
  const last = text.lastIndexOf(BACKSLASH)
  const length = text[last + 1] === SMALL_U ? UNICODE_ESCAPE_BYTES : SHORT_ESCAPE_BYTES
  return last >= 0 && last + length > text.length && !isEscaped(text, last, 0) ? last : text.length
}

const SHORT_ESCAPE_BYTES = 2
const UNICODE_ESCAPE_BYTES = 6

function closingQuote(text: Buffer, from: number): number {
  let close = text.indexOf(QUOTE, from)
  while (close > 0 && isEscaped(text, close, from)) close = text.indexOf(QUOTE, close + 1)
  return close
}

/** Whether an odd number of backslashes precedes this position. */
function isEscaped(text: Buffer, position: number, from: number): boolean {
  let at = position - 1
  while (at >= from && text[at] === BACKSLASH) at--
  return (position - at) % 2 === 0
}
