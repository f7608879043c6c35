const MARKS = /["\\{}[\]]/g

/** Follows the brackets of a JSON text that arrives in pieces. It keeps nothing of the text, and reads no piece twice. */
export class JsonBrackets {
  #depth = 0
  #isInString = false
  #isEscaped = false
  hasBrackets = false
  /** The first bracket has been closed. What follows is not read. */
  isClosed = false

  /** A bracket or a string waits for its end. */
  get isOpen(): boolean {
    return !this.isClosed && (this.hasBrackets || this.#isInString)
  }

  add(piece: string): void {
    if (this.isClosed) return
    let start = 0
    if (this.#isEscaped && piece !== '') [this.#isEscaped, start] = [false, 1]
    MARKS.lastIndex = start
    for (let found = MARKS.exec(piece); found && !this.isClosed; found = MARKS.exec(piece)) {
      this.#mark(found[0], found.index === piece.length - 1)
      this.isClosed = this.hasBrackets && this.#depth <= 0
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
    this.hasBrackets = true
  }

  /** A character after a backslash has no meaning of its own. It may arrive with the next piece. */
  #skip(isLast: boolean): void {
    if (isLast) this.#isEscaped = true
    else MARKS.lastIndex += 1
  }
}
