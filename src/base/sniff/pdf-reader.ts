// A reader of PDF objects that keeps only what is needed to find pages: dictionaries, lists, names, integers and
// references. Everything else is skipped and becomes null.

/** Deeper than any real document, and far below the limit of the stack. */
const MAX_DEPTH = 64

type PdfName = { name: string }
type PdfReference = { object: number }
export type PdfDictionary = Map<string, PdfValue>
export type PdfValue = PdfDictionary | PdfValue[] | PdfName | PdfReference | number | null

/** The bytes end before the object does. */
export class PdfCut extends Error {}
/** The bytes are not an object. */
export class PdfNonsense extends Error {}

// Hostile input causes this error again and again. A stack trace each time would cost more than all the reading.
export const CUT = new PdfCut()
export const NONSENSE = new PdfNonsense()

const [NUL, TAB, LF, FF, CR, SPACE] = [0x00, 0x09, 0x0a, 0x0c, 0x0d, 0x20]
const [OPEN, CLOSE, LESS, GREATER, LIST, LIST_END] = [0x28, 0x29, 0x3c, 0x3e, 0x5b, 0x5d]
const [SLASH, PERCENT, BACKSLASH] = [0x2f, 0x25, 0x5c]
/** Bytes that end a word: spaces and delimiters. */
const ENDS_WORD = new Uint8Array(256)
for (const byte of [
  NUL,
  TAB,
  LF,
  FF,
  CR,
  SPACE,
  OPEN,
  CLOSE,
  LESS,
  GREATER,
  LIST,
  LIST_END,
  SLASH,
  PERCENT,
  0x7b,
  0x7d,
])
  ENDS_WORD[byte] = 1

export class PdfReader {
  readonly #bytes: Buffer
  position: number

  constructor(bytes: Buffer, position: number) {
    this.#bytes = bytes
    this.position = position
  }

  value(depth = 0): PdfValue {
    if (depth > MAX_DEPTH) throw NONSENSE
    const byte = this.#skipSpace()
    if (byte === SLASH) return this.#name()
    if (byte === OPEN) return this.#string()
    if (byte === LIST) return this.#list(depth)
    if (byte === LESS) return this.#next() === LESS ? this.#dictionary(depth) : this.#hexString()
    return toNumber(this.#word())
  }

  /** The next bare word. Empty if something else comes next. */
  word(): string {
    this.#skipSpace()
    return this.#word()
  }

  #list(depth: number): PdfValue[] {
    this.position += 1
    const items = this.#itemsUntil(LIST_END, depth)
    this.position += 1
    return items
  }

  #dictionary(depth: number): PdfDictionary {
    this.position += 2
    const items = this.#itemsUntil(GREATER, depth)
    if (this.#next() !== GREATER) throw NONSENSE
    this.position += 2
    const dictionary: PdfDictionary = new Map()
    for (let key = 0; key + 1 < items.length; key += 2) {
      const name = nameOf(items[key])
      if (name !== undefined) dictionary.set(name, items[key + 1]!)
    }
    return dictionary
  }

  /** A reference is recognized by its last word: `12 0 R` are three items that become one. */
  #itemsUntil(end: number, depth: number): PdfValue[] {
    const items: PdfValue[] = []
    for (let byte = this.#skipSpace(); byte !== end; byte = this.#skipSpace()) {
      if (!ENDS_WORD[byte]) this.#addWord(items)
      else if (byte === LIST_END || byte === GREATER || byte === CLOSE) throw NONSENSE
      else items.push(this.value(depth + 1))
    }
    return items
  }

  #addWord(items: PdfValue[]): void {
    const word = this.#word()
    if (word === 'obj' || word === 'endobj' || word === 'stream') throw NONSENSE
    if (word !== 'R') return void items.push(toNumber(word))
    items.pop()
    const object = items.pop()
    items.push(typeof object === 'number' ? { object } : null)
  }

  #name(): PdfName {
    this.position += 1
    return { name: this.#word() }
  }

  #string(): null {
    let open = 0
    do {
      const byte = this.#at(this.position)
      if (byte === BACKSLASH) this.position += 1
      else if (byte === OPEN) open += 1
      else if (byte === CLOSE) open -= 1
      this.position += 1
    } while (open > 0)
    return null
  }

  #hexString(): null {
    const end = this.#bytes.indexOf(GREATER, this.position)
    if (end < 0) throw CUT
    this.position = end + 1
    return null
  }

  #word(): string {
    const start = this.position
    let end = start
    while (!ENDS_WORD[this.#at(end)]) end += 1
    this.position = end
    // A delimiter that opens nothing has to be skipped. Otherwise the reader would stay here forever.
    if (end === start && this.#isStray(end)) this.position += 1
    return this.#bytes.toString('latin1', start, end)
  }

  #isStray(position: number): boolean {
    const byte = this.#at(position)
    return byte === CLOSE || byte === 0x7b || byte === 0x7d
  }

  /** The position of the first byte that is neither space nor comment. */
  #skipSpace(): number {
    for (;;) {
      const byte = this.#at(this.position)
      if (byte === PERCENT) this.#skipComment()
      else if (byte > SPACE || !ENDS_WORD[byte]) return byte
      else this.position += 1
    }
  }

  #skipComment(): void {
    while (this.#at(this.position) !== LF && this.#at(this.position) !== CR) this.position += 1
  }

  #next(): number {
    return this.#at(this.position + 1)
  }

  #at(position: number): number {
    const byte = this.#bytes[position]
    if (byte === undefined) throw CUT
    return byte
  }
}

export function nameOf(value: PdfValue | undefined): string | undefined {
  return value !== null && typeof value === 'object' && 'name' in value ? value.name : undefined
}

export function referenceOf(value: PdfValue | undefined): number | undefined {
  return value !== null && typeof value === 'object' && 'object' in value ? value.object : undefined
}

function toNumber(word: string): number | null {
  return /^\d{1,10}$/.test(word) ? Number(word) : null
}
