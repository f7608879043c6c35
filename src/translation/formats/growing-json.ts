import { JsonBrackets } from '../json/json-brackets.ts'
import { tryParse } from '../json/try-parse.ts'

/** Longer than any number or literal of JSON. These have no closing character of their own. */
const MAX_SIMPLE_CHARS = 64

/**
 * JSON that arrives in pieces. It is known at any time whether it is complete, and no piece is read twice: the text is
 * parsed once, when its last bracket closes.
 */
export class GrowingJson {
  readonly #brackets = new JsonBrackets()
  #text = ''
  /** Undefined as long as brackets are open. */
  #verdict: boolean | undefined

  get isWhole(): boolean {
    if (this.#brackets.hasBrackets || this.#brackets.isOpen) return this.#verdict === true
    return this.#text.length <= MAX_SIMPLE_CHARS && tryParse(this.#text) !== undefined
  }

  add(piece: string): void {
    this.#text += piece
    if (this.#verdict !== undefined) this.#verdict &&= piece.trim() === ''
    else this.#brackets.add(piece)
    if (this.#brackets.isClosed) this.#verdict ??= tryParse(this.#text) !== undefined
  }
}
