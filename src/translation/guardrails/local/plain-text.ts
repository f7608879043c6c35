// What people read as one word can be other characters for a program: characters without a width between its letters, marks on them, or
// letters of another shape. The plain form of a text has none of them.

/** Joiners, marks of direction, soft hyphens, variations, tags; and marks that are drawn on the character before them. */
const UNSEEN =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0' +
  '\\u{e0000}-\\u{e0fff}\\u0300-\\u036f\\u0483-\\u0489\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f'
/** Blanks, and letters and digits in other widths, styles, heights and circles, and ligatures. Signs such as those of trademarks are not read as letters. */
const SHAPED =
  '\\u00a0\\u02b0-\\u02b8\\u02e0-\\u02e4\\u1d2c-\\u1d2e\\u1d30-\\u1d3a\\u1d3c-\\u1d4d\\u1d4f-\\u1d6a\\u1d78\\u1d9b-\\u1dbf\\u2071\\u207f\\u2090-\\u209c\\u2000-\\u200a\\u202f\\u205f\\u2102\\u210a-\\u2113\\u2115\\u2119-\\u211d\\u2124\\u2128\\u212a\\u212c\\u212d\\u212f-\\u2131\\u2133\\u2134\\u2460-\\u2468\\u24b6-\\u24ea' +
  '\\u3000\\ufb00-\\ufb06\\uff01-\\uff9f\\u{1d400}-\\u{1d7ff}\\u{1f130}-\\u{1f149}'
const UNSEEN_RUN = new RegExp(`[${UNSEEN}]+`, 'gu')
const OTHER = new RegExp(`[${UNSEEN}]+|[${SHAPED}]`, 'gu')
/** Also the first halves of such characters at the end. */
const HAS_OTHER = new RegExp(`[${UNSEEN}${SHAPED}]|[\\ud835\\ud83c\\udb40-\\udb43]$`, 'u')
/** A quick look that saves the other one for most texts. */
const NOT_ASCII = /[^\0-\x7f]/
const IS_UNSEEN = new RegExp(`^[${UNSEEN}]`, 'u')
const FIRST_HALF = /[\ud835\ud83c\udb40-\udb43]$/
/** Flags and families of emoji have fewer of them. */
const MAX_UNSEEN_CHARS = 32

/** Whether the text is its plain form, whatever follows it. */
export function isPlain(text: string): boolean {
  return !NOT_ASCII.test(text) || !HAS_OTHER.test(text)
}

/** The first half of a character of another form, with which the text ends, or nothing. */
export function begunChar(text: string): string {
  return FIRST_HALF.test(text) ? text.slice(-1) : ''
}

export function plainText(text: string): string {
  return text.replace(OTHER, plainOf)
}

function plainOf(chars: string): string {
  return IS_UNSEEN.test(chars) ? '' : chars.normalize('NFKC')
}

/** From here on, characters of the plain form stand in the text; all until the next mark are of one other character if `isOther`. */
type Mark = { plain: number; at: number; isOther: boolean }

/** The plain form of a text that arrives in pieces, and where its characters stand in the text. */
export class PlainForm {
  /** In order. The first one is the last before anything that may still be asked about. */
  #marks: Mark[]
  /** Where the text ends, and its plain form. */
  #at: number
  #plain = 0

  /** `begin`: where the first piece stands in the text. */
  constructor(begin: number) {
    this.#at = begin
    this.#marks = [{ plain: -1, at: begin - 1, isOther: false }]
  }

  /** The plain form of the next piece. */
  add(text: string): string {
    let plain = ''
    let from = 0
    for (const { 0: chars, index } of text.matchAll(OTHER)) {
      plain += this.#same(text.slice(from, index)) + this.#other(chars)
      from = index + chars.length
    }
    return plain + this.#same(text.slice(from))
  }

  #same(text: string): string {
    this.#at += text.length
    this.#plain += text.length
    return text
  }

  #other(chars: string): string {
    const plain = plainOf(chars)
    if (plain !== '') this.#mark(true)
    this.#at += chars.length
    this.#plain += plain.length
    this.#mark(false)
    return plain
  }

  #mark(isOther: boolean): void {
    const mark = { plain: this.#plain, at: this.#at, isOther }
    if (this.#marks.at(-1)!.plain === mark.plain) this.#marks[this.#marks.length - 1] = mark
    else this.#marks.push(mark)
  }

  /** Where a character of the plain form begins. The end of the plain form is that of the text. */
  beginOf(plain: number): number {
    if (plain === this.#plain) return this.#at
    const mark = this.#marks[this.#markOf(plain)]!
    return mark.isOther ? mark.at : mark.at + plain - mark.plain
  }

  /** Where the character before this place of the plain form ends. */
  endOf(plain: number): number {
    const index = this.#markOf(plain - 1)
    const mark = this.#marks[index]!
    return mark.isOther ? this.#marks[index + 1]!.at : mark.at + plain - mark.plain
  }

  /** Whether the text has other characters between these places of the plain form, or right before or behind them. */
  differs(from: number, to: number): boolean {
    const first = this.#markOf(from)
    if (this.#marks[first]!.isOther || this.#markOf(to - 1) > first) return true
    return this.#hasUnseenAt(from) || this.#hasUnseenAt(to)
  }

  #hasUnseenAt(plain: number): boolean {
    return this.endOf(plain) < this.beginOf(plain)
  }

  /** The last mark that does not stand behind this place. */
  #markOf(plain: number): number {
    let [low, high] = [0, this.#marks.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#marks[middle]!.plain <= plain) low = middle
      else high = middle - 1
    }
    return low
  }

  /** What stands before this place will not be asked about again. */
  forget(plain: number): void {
    const first = this.#markOf(plain - 1)
    if (first > 0) this.#marks = this.#marks.slice(first)
  }
}

/** A text in pieces, of which no more than so many characters in a row have no place in the plain form: what is held back is limited then. */
export class ShortUnseenRuns {
  /** How long the run is with which the text so far ends. */
  #length = 0

  /** `isPlain`: the piece has none of these characters. */
  take(piece: string, isPlain: boolean): string {
    const before = this.#length
    this.#length = 0
    if (isPlain) return piece
    return piece.replace(UNSEEN_RUN, (run, at: number) => {
      const begun = at === 0 ? before : 0
      const chars = [...run]
      if (at + run.length === piece.length) this.#length = begun + chars.length
      return chars.slice(0, Math.max(0, MAX_UNSEEN_CHARS - begun)).join('')
    })
  }
}
