import { asBuffer } from '../bytes/as-buffer.ts'
import { isAscii } from 'node:buffer'
import { ByteQueue } from '../bytes/byte-queue.ts'
import { problem } from '../contract/problems.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import { WireFailure } from '../wire/wire.ts'
import { MAX_STRINGS } from '../json/outline.ts'
import { type TempBytes, TempFileWriter } from './temp-file-writer.ts'
import type { TempFiles } from './temp-files.ts'

// JSON with images is megabytes of base64 and a few fields around it. Only the fields come into memory: the base64 of an
// image is laid on the shelf as it arrives, and a mark stands in its place, which nobody can know before.

/** No other field is so long, and no image that is worth the trouble shorter. */
const LONG_BYTES = 64 * 1024
const MAX_JSON_BYTES = 16 * 1024 * 1024
const QUOTE = 0x22
const BACKSLASH = 0x5c
const SMALL_U = 0x75
const BEGINNING_CHARS = 512
/** What may stand for a character of base64: some escape slashes, some all that means something in HTML. */
const ESCAPE = /\\(?:u00([2-7][0-9a-f])|([/rn]))/gi

/** Whose JSON it is: how an image begins there, and what is said of one that is none, or of too much else. */
export type Writer = { beginning: RegExp; noImage(): Error; tooLong(): Error }

/** A provider sends images in data URLs, or bare. */
export const PROVIDER: Writer = {
  beginning: /^(data:image\/[\w.+-]+;base64,)?[A-Za-z0-9+/_\-\\]*$/i,
  noImage: () => new UpstreamProblem('garbage', 'the provider answered with something that is not an image in base64'),
  tooLong: () => new WireFailure('protocol'),
}

/** A caller sends data URLs. Whatever else is long is theirs to say, and stays as it is. */
export const CALLER: Writer = {
  beginning: /^(data:image\/[\w.+-]+(?:;[\w.+=-]+)*;base64,)[A-Za-z0-9+/_\-\\]*$/i,
  noImage: () => {
    const msg = 'A data URL holds something that is not base64'
    return problem('validation_error', { message: `${msg}.`, detail: [{ loc: ['body'], msg, type: 'value_error' }] })
  },
  tooLong: () => problem('too_large'),
}

export class ImageJsonReader {
  /** What stands on the shelf, by its mark. */
  readonly longs = new Map<string, TempBytes>()
  readonly #tempFiles: TempFiles
  readonly #mark: string
  readonly #writer: Writer
  readonly #kept = new ByteQueue()
  #strings = 0
  #carried: Uint8Array | undefined
  #isInString = false
  /** Of the string that is open: its beginning, while it may still be short, or where it goes since it is long. */
  readonly #beginning = new ByteQueue()
  #sink: TempFileWriter | undefined
  /** The string that is open is long and no image: it is not looked at again, however much more of it comes. */
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
      // Only what goes to the disk is waited for: a promise for each of many short texts would take most of the time.
      at = typeof next === 'number' ? next : await next
    }
  }

  /** The JSON with its marks. */
  end(): Buffer {
    this.#keepBeginning()
    if (this.#carried) this.#keep(this.#carried)
    return this.#kept.takeAll()
  }

  get keptBytes(): number {
    return this.#kept.length
  }

  /** An escape is never cut in two. */
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

  /** What is long and no image is kept like any other text. */
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

  /** Copied: a few words of a chunk would hold all of it. */
  #keep(piece: Uint8Array): void {
    this.#kept.push(piece, true)
    if (this.#kept.length > MAX_JSON_BYTES) throw this.#writer.tooLong()
  }

  /** Nothing else may stand there, least of all what ends a string. */
  #base64Only(piece: Buffer): Uint8Array {
    if (isAscii(piece) && !piece.includes(BACKSLASH) && !piece.includes(QUOTE)) return piece
    throw this.#writer.noImage()
  }
}

/** Broken lines are joined; what means something else than a character of base64 stays. */
function unescaped(piece: Buffer): Buffer {
  if (!piece.includes(BACKSLASH)) return piece
  const text = piece.toString('latin1').replace(ESCAPE, (_, code?: string, letter?: string) => {
    if (code) return String.fromCharCode(Number.parseInt(code, 16))
    return letter === '/' ? '/' : ''
  })
  return Buffer.from(text, 'latin1')
}

/** Up to where no escape waits for the rest of it. */
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

/** Whether an odd number of backslashes stands before this place. */
function isEscaped(text: Buffer, place: number, from: number): boolean {
  let at = place - 1
  while (at >= from && text[at] === BACKSLASH) at--
  return (place - at) % 2 === 0
}
