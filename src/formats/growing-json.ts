import { tryParse } from '../json/try-parse.ts'

/** Longer than any number or literal of JSON. These have no closing character of their own. */
const MAX_SIMPLE_CHARS = 64
const MARKS = /["\\{}[\]]/g

/**
 * JSON that arrives in pieces. It is known at any time whether it is complete, and no piece is read twice: the text is
 * parsed once, when its last bracket closes.
 */
export class GrowingJson {
  #text = ''
  #depth = 0
  #isInString = false
  #isEscaped = false
  #hasBrackets = false
  /** Undefined as long as brackets are open. */
  #verdict: boolean | undefined

  get isWhole(): boolean {
    if (this.#hasBrackets || this.#isInString) return this.#verdict === true
    return this.#text.length <= MAX_SIMPLE_CHARS && tryParse(this.#text) !== undefined
  }

  add(piece: string): void {
    this.#text += piece
    if (this.#verdict !== undefined) this.#verdict &&= piece.trim() === ''
    else this.#scan(piece)
  }

  #scan(piece: string): void {
    let start = 0
    if (this.#isEscaped && piece !== '') [this.#isEscaped, start] = [false, 1]
    MARKS.lastIndex = start
    for (let found = MARKS.exec(piece); found; found = MARKS.exec(piece)) {
      this.#mark(found[0], found.index === piece.length - 1)
      if (this.#hasBrackets && this.#depth <= 0) return this.#judge()
    }
  }

  #mark(mark: string, isLast: boolean): void {
    if (this.#isInString) {
      if (mark === '"') this.#isInString = false
      if (mark === '\\') this.#skip(isLast)
    } else if (mark === '"') this.#isInString = true
    else if (mark === '{' || mark === '[') this.#open()
    else if (mark !== '\\') this.#depth -= 1
  }

  #open(): void {
    this.#depth += 1
    this.#hasBrackets = true
  }

  /** A character after a backslash has no meaning of its own. It may arrive with the next piece. */
  #skip(isLast: boolean): void {
    if (isLast) this.#isEscaped = true
    else MARKS.lastIndex += 1
  }

  #judge(): void {
    this.#verdict = tryParse(this.#text) !== undefined
  }
}
