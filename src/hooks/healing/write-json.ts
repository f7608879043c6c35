// Reads what was meant as JSON and writes it as JSON: single quotes, bare keys, comments, commas too many or too few,
// line ends and quotes inside strings, words of other languages, an end that is missing.

const MAX_DEPTH = 64

const BLANKS = /\s+/y
const SKIPPED = /(?:\s+|\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/)+/y
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?(?![\p{L}\p{N}_.])/iuy
const BARE = /[\p{L}\p{N}_$.@+-][\p{L}\p{N}_$.@+:/ -]*/uy
const BARE_KEY = /[\p{L}\p{N}_$.-]+/uy
const WORDS: Record<string, string> = {
  ...{ true: 'true', false: 'false', null: 'null', none: 'null', undefined: 'null', nan: 'null' },
  ...{ infinity: 'null', '-infinity': 'null' },
}
const CLOSING: Record<string, string> = { '"': '"', "'": "'", '`': '`', '“': '”', '‘': '’', '«': '»' }

class Unreadable extends Error {}
const UNREADABLE = new Unreadable()

/** The value that begins here; undefined where none can be read. */
export function writeJson(text: string, start: number): string | undefined {
  try {
    return new Writer(text, start).value(0)
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

class Writer {
  readonly #text: string
  #at: number

  constructor(text: string, start: number) {
    this.#text = text
    this.#at = start
  }

  value(depth: number): string {
    if (depth > MAX_DEPTH) throw UNREADABLE
    this.#skip()
    const character = this.#text[this.#at] ?? ''
    if (character === '{') return this.#members('}', () => this.#member(depth))
    if (character === '[') return this.#members(']', () => this.value(depth + 1))
    return Object.hasOwn(CLOSING, character) ? this.#string() : this.#bare()
  }

  /** Commas are read where they stand and written where they belong. A text that ends closes everything. */
  #members(closing: string, read: () => string | undefined): string {
    const opening = this.#text[this.#at++]
    const items: string[] = []
    for (;;) {
      this.#skip()
      const character = this.#text[this.#at]
      if (character === undefined) break
      this.#at += character === closing || character === ',' ? 1 : 0
      if (character === closing) break
      if (character === ',') continue
      if (character === '}' || character === ']') throw UNREADABLE
      const item = read()
      if (item !== undefined) items.push(item)
    }
    return `${opening}${items.join(',')}${closing}`
  }

  /** A key whose value the end has cut off is left out. */
  #member(depth: number): string | undefined {
    const isQuoted = Object.hasOwn(CLOSING, this.#text[this.#at]!)
    const key = isQuoted ? this.#string() : JSON.stringify(this.#take(BARE_KEY) ?? unreadable())
    this.#skip()
    if (this.#at >= this.#text.length) return undefined
    if (this.#text[this.#at] !== ':') throw UNREADABLE
    this.#at += 1
    this.#skip()
    return this.#at >= this.#text.length ? undefined : `${key}:${this.value(depth + 1)}`
  }

  #string(): string {
    const closing = CLOSING[this.#text[this.#at++]!]!
    let written = ''
    for (;;) {
      const character = this.#text[this.#at++]
      if (character === undefined || (character === closing && this.#isEnd())) return `"${written}"`
      written += character === '\\' ? this.#escape() : inString(character)
    }
  }

  /** A quote ends a string when what follows could follow a string; any other was meant as a quote. */
  #isEnd(): boolean {
    const from = this.#at
    this.#take(BLANKS)
    const following = this.#text[this.#at]
    const hasLineEnd = this.#text.slice(from, this.#at).includes('\n')
    this.#at = from
    return following === undefined || ',:}]'.includes(following) || hasLineEnd
  }

  #escape(): string {
    const character = this.#text[this.#at++]
    if (character === undefined) return ''
    if (character === 'u' && /^[\da-f]{4}$/i.test(this.#text.slice(this.#at, this.#at + 4))) return '\\u'
    if ('"\\/bfnrt'.includes(character)) return `\\${character}`
    return "'`\n".includes(character) ? inString(character) : `\\\\${inString(character)}`
  }

  #bare(): string {
    const number = this.#take(NUMBER)
    if (number !== undefined) return asNumber(number)
    const word = this.#take(BARE)?.trim() ?? unreadable()
    return WORDS[word.toLowerCase()] ?? JSON.stringify(word)
  }

  #skip(): void {
    this.#take(SKIPPED)
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
}

function inString(character: string): string {
  return JSON.stringify(character).slice(1, -1)
}

/** `+1`, `.5`, `1.` and `007` are numbers to people. */
function asNumber(text: string): string {
  const [, sign, whole, fraction, exponent] = /^([+-]?)0*(\d*)(?:\.(\d*))?(e.*)?$/i.exec(text) ?? unreadable()
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction ? `.${fraction}` : ''}${exponent ?? ''}`
}

function unreadable(): never {
  throw UNREADABLE
}
