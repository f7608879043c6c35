const [TAB, CARRIAGE_RETURN, SPACE, LAST_ASCII] = [0x09, 0x0d, 0x20, 0x7f]
const OTHER_BLANK = /\s/

/** A text and a position in it. Skips blanks and comments; a comment that is not closed extends to the end of the text. */
export class SkipReader {
  readonly text: string
  at: number

  constructor(text: string, start: number) {
    this.text = text
    this.at = start
  }

  skip(): void {
    for (;;) {
      while (isBlank(this.text.charCodeAt(this.at))) this.at++
      const end = this.#commentEnd()
      if (end === undefined) return
      this.at = end
    }
  }

  #commentEnd(): number | undefined {
    if (this.text[this.at] !== '/') return undefined
    const following = this.text[this.at + 1]
    if (following !== '/' && following !== '*') return undefined
    const closing = following === '/' ? '\n' : '*/'
    const end = this.text.indexOf(closing, this.at + 2)
    return end < 0 ? this.text.length : end + closing.length
  }
}

/** Takes a UTF-16 unit; false for `NaN`, which is read behind the end of a text. */
export function isBlank(unit: number): boolean {
  if (unit > LAST_ASCII) return OTHER_BLANK.test(String.fromCharCode(unit))
  return unit === SPACE || (unit >= TAB && unit <= CARRIAGE_RETURN)
}
