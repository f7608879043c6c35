import type { StepBudget } from '../step-budget.ts'
import { isBlank, SkipReader } from './skip-reader.ts'
import { TextBuilder } from './text-builder.ts'

// Reads a text that was meant as JSON and writes JSON. It repairs single quotes, bare keys, comments, missing and
// superfluous commas, line ends and quotes inside strings, literals of other languages, and a missing end. Every character
// is read once, and a second time between a quote and what follows it.

const MAX_DEPTH = 64
/** The cost of a value in addition to its characters, and of a part of a string up to an escape or a quote. */
const STEPS_PER_VALUE = 10
const STEPS_PER_PIECE = 5
const FIRST_PRINTABLE = 0x20

const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?(?![\p{L}\p{N}_.])/iuy
const BARE = /[\p{L}\p{N}_$.@+-][\p{L}\p{N}_$.@+:/ -]*/uy
const BARE_KEY = /[\p{L}\p{N}_$.-]+/uy
const WORDS: Record<string, string> = {
  true: 'true',
  false: 'false',
  null: 'null',
  none: 'null',
  undefined: 'null',
  nan: 'null',
  infinity: 'null',
  '-infinity': 'null',
}
const CLOSING: Record<string, string> = { '"': '"', "'": "'", '`': '`', '“': '”', '‘': '’', '«': '»' }

class Unreadable extends Error {}
const UNREADABLE = new Unreadable()

/** The value that starts here, or undefined if none can be read, and the number of characters that were read. */
export function writeJson(text: string, start: number, budget: StepBudget) {
  const writer = new Writer(text, start, budget)
  const written = attempt(writer)
  const chars = writer.at - start
  budget.spendChars(chars)
  return { written, chars }
}

function attempt(writer: Writer): string | undefined {
  try {
    writer.value(0)
    return writer.written
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

class Writer extends SkipReader {
  readonly #out = new TextBuilder()
  readonly #budget: StepBudget

  constructor(text: string, start: number, budget: StepBudget) {
    super(text, start)
    this.#budget = budget
  }

  get written(): string {
    return this.#out.text
  }

  value(depth: number): void {
    if (depth > MAX_DEPTH) throw UNREADABLE
    this.#budget.spend(STEPS_PER_VALUE)
    this.skip()
    const character = this.text[this.at] ?? ''
    if (character === '{') this.#members('}', (isFirst) => this.#member(depth, isFirst))
    else if (character === '[') this.#members(']', (isFirst) => this.#item(depth, isFirst))
    else if (Object.hasOwn(CLOSING, character)) this.#string()
    else this.#bare()
  }

  /** Commas are read wherever they are and written where they belong. The end of the text closes everything. */
  #members(closing: string, write: (isFirst: boolean) => void): void {
    this.#out.add(this.text[this.at++]!)
    for (let isFirst = true; ; ) {
      this.skip()
      const character = this.text[this.at]
      if (character === undefined) break
      this.at += character === closing || character === ',' ? 1 : 0
      if (character === closing) break
      if (character === ',') continue
      if (character === '}' || character === ']') throw UNREADABLE
      write(isFirst)
      isFirst = false
    }
    this.#out.add(closing)
  }

  #item(depth: number, isFirst: boolean): void {
    if (!isFirst) this.#out.add(',')
    this.value(depth + 1)
  }

  /** A key whose value is cut off is dropped; nothing follows it. */
  #member(depth: number, isFirst: boolean): void {
    const isQuoted = Object.hasOwn(CLOSING, this.text[this.at]!)
    const key = isQuoted ? this.#quoted() : JSON.stringify(this.#take(BARE_KEY) ?? unreadable())
    this.skip()
    if (this.at >= this.text.length) return
    if (this.text[this.at] !== ':') throw UNREADABLE
    this.at += 1
    this.skip()
    if (this.at >= this.text.length) return
    this.#out.add(isFirst ? `${key}:` : `,${key}:`)
    this.value(depth + 1)
  }

  #string(): void {
    this.#writeString(this.#out)
  }

  #quoted(): string {
    const key = new TextBuilder()
    this.#writeString(key)
    return key.text
  }

  #writeString(out: TextBuilder): void {
    const closing = CLOSING[this.text[this.at++]!]!
    out.add('"')
    for (;;) {
      this.#budget.spend(STEPS_PER_PIECE)
      const plain = this.#plainEnd(closing)
      if (plain > this.at) out.add(this.text.slice(this.at, plain))
      this.at = plain + 1
      const character = this.text[plain]
      if (character === undefined || (character === closing && this.#isEnd())) break
      out.add(character === '\\' ? this.#escape() : inString(character))
    }
    this.at = Math.min(this.at, this.text.length)
    out.add('"')
  }

  /** The end of the characters that need no escape. */
  #plainEnd(closing: string): number {
    const [close, { text }] = [closing.charCodeAt(0), this]
    for (let at = this.at; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      const isSurrogate = unit >= 0xd800 && unit <= 0xdfff
      if (unit === close || unit === 0x22 || unit === 0x5c || unit < FIRST_PRINTABLE) return at
      if (isSurrogate && !isPaired(text, at)) return at
    }
    return text.length
  }

  /** A quote ends a string if the text after it could follow a string; any other quote is part of the string. */
  #isEnd(): boolean {
    let [after, hasLineEnd] = [this.at, false]
    for (; isBlank(this.text.charCodeAt(after)); after++) hasLineEnd ||= this.text[after] === '\n'
    const following = this.text[after]
    return following === undefined || ',:}]'.includes(following) || hasLineEnd
  }

  #escape(): string {
    const character = this.text[this.at++]
    if (character === undefined) return ''
    if (character === 'u' && /^[\da-f]{4}$/i.test(this.text.slice(this.at, this.at + 4))) return '\\u'
    if ('"\\/bfnrt'.includes(character)) return `\\${character}`
    return "'`\n".includes(character) ? inString(character) : `\\\\${inString(character)}`
  }

  #bare(): void {
    const number = this.#take(NUMBER)
    if (number !== undefined) return this.#out.add(asNumber(number))
    const word = this.#take(BARE)?.trim() ?? unreadable()
    this.#out.add(WORDS[word.toLowerCase()] ?? JSON.stringify(word))
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }
}

function isPaired(text: string, at: number): boolean {
  const [unit, before, after] = [text.charCodeAt(at), text.charCodeAt(at - 1), text.charCodeAt(at + 1)]
  return unit < 0xdc00 ? after >= 0xdc00 && after <= 0xdfff : before >= 0xd800 && before < 0xdc00
}

function inString(character: string): string {
  return JSON.stringify(character).slice(1, -1)
}

/** People write `+1`, `.5`, `1.` and `007` as numbers. */
function asNumber(text: string): string {
  const [, sign, whole, fraction, exponent] = /^([+-]?)0*(\d*)(?:\.(\d*))?(e.*)?$/i.exec(text) ?? unreadable()
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction ? `.${fraction}` : ''}${exponent ?? ''}`
}

function unreadable(): never {
  throw UNREADABLE
}
