import { isAscii } from 'node:buffer'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import { WireFailure } from '../contract/wire.ts'
import { type Shelved, ShelfSink } from './shelf-sink.ts'
import type { ImageShelf } from './image-shelf.ts'

// An answer with images is megabytes of base64 and a few fields around it. Only the fields come into memory: the base64 of
// an image is laid on the shelf as it arrives, and a mark stands in its place, which nobody can know before.

/** No field of an answer is so long, and no image that is worth the trouble shorter. */
const LONG_BYTES = 64 * 1024
const MAX_LEAN_BYTES = 16 * 1024 * 1024
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** How an image begins, in a data URL or bare. */
const BEGINNING = /^(data:image\/[\w.+-]+;base64,)?[A-Za-z0-9+/_\-\\]*$/i
const BEGINNING_CHARS = 512

export class LeanAnswer {
  /** What stands on the shelf, by its mark. */
  readonly longs = new Map<string, Shelved>()
  readonly #shelf: ImageShelf
  readonly #mark: string
  readonly #kept: Uint8Array[] = []
  #keptBytes = 0
  #carried: Uint8Array | undefined
  #isInString = false
  /** Of the string that is open: its beginning, while it may still be short, or where it goes since it is long. */
  #beginning: Uint8Array[] = []
  #beginningBytes = 0
  #sink: ShelfSink | undefined
  /** The string that is open is long and no image: it is not looked at again, however much more of it comes. */
  #isText = false

  constructor(shelf: ImageShelf, secret: string) {
    this.#shelf = shelf
    this.#mark = `image${secret.replaceAll('-', '')}n`
  }

  async push(chunk: Uint8Array): Promise<void> {
    const text = this.#withCarried(chunk)
    for (let at = 0; at < text.length; ) at = this.#isInString ? await this.#inside(text, at) : this.#between(text, at)
  }

  /** The JSON with its marks. */
  end(): Uint8Array {
    for (const piece of this.#beginning) this.#keep(piece)
    return Buffer.concat(this.#kept)
  }

  /** An escape is never cut in two. */
  #withCarried(chunk: Uint8Array): Buffer {
    const { buffer, byteOffset, length } = chunk
    const text = this.#carried ? Buffer.concat([this.#carried, chunk]) : Buffer.from(buffer, byteOffset, length)
    this.#carried = isEscaped(text, text.length, 0) ? text.subarray(-1) : undefined
    return this.#carried ? text.subarray(0, -1) : text
  }

  #between(text: Buffer, at: number): number {
    const quote = text.indexOf(QUOTE, at)
    const end = quote < 0 ? text.length : quote + 1
    this.#keep(text.subarray(at, end))
    this.#isInString = quote >= 0
    return end
  }

  async #inside(text: Buffer, at: number): Promise<number> {
    const quote = closingQuote(text, at)
    const end = quote < 0 ? text.length : quote
    await this.#take(text.subarray(at, end))
    if (quote < 0) return end
    this.#endString()
    this.#keep(text.subarray(quote, quote + 1))
    this.#isInString = false
    return quote + 1
  }

  async #take(piece: Buffer): Promise<void> {
    if (this.#sink) return await this.#sink.append(base64Only(piece))
    if (this.#isText) return this.#keep(piece)
    this.#beginning.push(piece)
    this.#beginningBytes += piece.length
    if (this.#beginningBytes > LONG_BYTES) await this.#layDown()
  }

  /** What is long and no image is kept like any other text. */
  async #layDown(): Promise<void> {
    const beginning = Buffer.concat(this.#beginning)
    const [isImage, type = ''] = BEGINNING.exec(beginning.toString('latin1', 0, BEGINNING_CHARS)) ?? []
    this.#isText = isImage === undefined
    if (this.#isText) return this.#keepBeginning()
    this.#beginning = []
    this.#beginningBytes = 0
    this.#sink = new ShelfSink(this.#shelf)
    this.#keep(beginning.subarray(0, type.length))
    await this.#sink.append(base64Only(beginning.subarray(type.length)))
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
    for (const piece of this.#beginning) this.#keep(piece)
    this.#beginning = []
    this.#beginningBytes = 0
  }

  /** Copied: a few words of a chunk would hold all of it. */
  #keep(piece: Uint8Array): void {
    this.#keptBytes += piece.length
    if (this.#keptBytes > MAX_LEAN_BYTES) throw new WireFailure('protocol')
    this.#kept.push(Buffer.from(piece))
  }
}

/** Some escape slashes, some break lines; nothing else may stand in base64, least of all what ends a string. */
function base64Only(piece: Buffer): Uint8Array {
  const bare = piece.includes(BACKSLASH)
    ? Buffer.from(piece.toString('latin1').replace(/\\(?:([/])|[rn])/g, '$1'), 'latin1')
    : piece
  if (isAscii(bare) && !bare.includes(BACKSLASH)) return bare
  throw new UpstreamProblem('garbage', 'the provider answered with something that is not an image in base64')
}

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
