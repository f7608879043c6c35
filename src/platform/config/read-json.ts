import { ConfigError } from './config-error.ts'
import { positionIn } from './file-place.ts'

/**
 * Parses a JSON file that a person wrote. The error says where the text stops being JSON and what to do there, and repeats
 * nothing of the text, which may hold secrets. (The messages of V8 quote the text and often lack the place.)
 */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const { offset, advice } = new Scanner(text).firstMistake()
    throw new ConfigError(`is not valid JSON at ${positionIn(text, offset)}: ${advice}`)
  }
}

class Mistake extends Error {
  readonly offset: number
  constructor(offset: number, advice: string) {
    super(advice)
    this.offset = offset
  }
}

const SPACE = /[ \t\r\n]*/y
/** Between the quotes is everything from the space on, except a quote and a backslash. */
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const PLAIN = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y

const NO_COMMENTS = 'JSON has no comments; remove it, or use a .yaml file'

/** Reads a text that JSON.parse has refused, up to its first mistake. */
class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  firstMistake(): { offset: number; advice: string } {
    try {
      this.#value()
      this.#skip()
      return { offset: this.#at, advice: 'nothing may follow the last bracket' }
    } catch (error) {
      if (error instanceof Mistake) return { offset: error.offset, advice: error.message }
      return { offset: 0, advice: 'its brackets are nested too deeply' }
    }
  }

  #value(): void {
    this.#skip()
    const first = this.#text[this.#at]
    if (first === '{') return this.#list('}', () => this.#member())
    if (first === '[') return this.#list(']', () => this.#value())
    if (this.#takes(STRING) || this.#takes(PLAIN)) return
    throw this.#mistake(first === '"' ? BROKEN_STRING : (ADVICE[first ?? 'end'] ?? 'texts need double quotes'))
  }

  #member(): void {
    this.#skip()
    const first = this.#text[this.#at]
    if (!this.#takes(STRING))
      throw this.#mistake(first === '"' ? BROKEN_STRING : (ADVICE[first ?? 'end'] ?? 'names need double quotes'))
    this.#skip()
    if (this.#text[this.#at] !== ':') throw this.#mistake('a colon is missing after the name')
    this.#at++
    this.#value()
  }

  #list(end: '}' | ']', item: () => void): void {
    this.#at++
    this.#skip()
    if (this.#text[this.#at] === end) return this.#step()
    for (;;) {
      item()
      this.#skip()
      const next = this.#text[this.#at]
      if (next === end) return this.#step()
      if (next !== ',') throw this.#mistake(next === undefined ? TOO_SHORT : `a comma or ${end} is missing`)
      this.#step()
      this.#skip()
      if (this.#text[this.#at] === end) throw this.#mistake(`remove the comma before this ${end}`)
    }
  }

  #step(): void {
    this.#at++
  }

  #skip(): void {
    this.#takes(SPACE)
    if (this.#text[this.#at] === '/' || this.#text[this.#at] === '#') throw this.#mistake(NO_COMMENTS)
  }

  #takes(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    if (!pattern.test(this.#text)) return false
    this.#at = pattern.lastIndex
    return true
  }

  #mistake(advice: string): Mistake {
    return new Mistake(this.#at, advice)
  }
}

const TOO_SHORT = 'the file ends before its last bracket'
const BROKEN_STRING = 'this text has no closing quote, or contains a line break or a wrong backslash'

const ADVICE: Readonly<Record<string, string>> = {
  end: TOO_SHORT,
  "'": 'use double quotes instead of single quotes',
  ',': 'something is missing before this comma',
  '}': 'something is missing before this bracket',
  ']': 'something is missing before this bracket',
}
