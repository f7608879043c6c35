// What people read as one word can be other characters for a program: characters without a width between its letters, or letters of
// another shape. The plain form of a text has neither.

/** Characters that are not seen: joiners, marks of direction, soft hyphens, variations, tags. */
const UNSEEN =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0' +
  '\\u{e0000}-\\u{e0fff}'
/** Blanks, and letters and digits in other widths, styles and circles, and ligatures. Signs such as those of trademarks are not read as letters. */
const SHAPED =
  '\\u00a0\\u2000-\\u200a\\u202f\\u205f\\u2102\\u210a-\\u2113\\u2115\\u2119-\\u211d\\u2124\\u2128\\u212a\\u212c\\u212d\\u212f-\\u2131\\u2133\\u2134\\u24b6-\\u24e9' +
  '\\u3000\\ufb00-\\ufb06\\uff01-\\uff9f\\u{1d400}-\\u{1d7ff}\\u{1f130}-\\u{1f149}'
const OTHER = new RegExp(`[${UNSEEN}]+|[${SHAPED}]`, 'gu')
/** Also the first halves of such characters at the end. */
const HAS_OTHER = new RegExp(`[${UNSEEN}${SHAPED}]|[\\ud835\\ud83c\\udb40-\\udb43]$`, 'u')
/** A quick look that saves the other one for most texts. */
const NOT_ASCII = /[^\0-\x7f]/
const IS_UNSEEN = new RegExp(`^[${UNSEEN}]`, 'u')
const FIRST_HALF = /[\ud835\ud83c\udb40-\udb43]$/

/** Whether the text is its plain form, whatever follows it. */
export function isPlain(text: string): boolean {
  return !NOT_ASCII.test(text) || !HAS_OTHER.test(text)
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
  /** The first half of a character. */
  #half = ''

  /** `begin`: where the first piece stands in the text. */
  constructor(begin: number) {
    this.#at = begin
    this.#marks = [{ plain: 0, at: begin, isOther: false }]
  }

  /** The plain form of the next piece, without a half of a character at its end. */
  add(piece: string): string {
    const all = this.#half + piece
    this.#half = FIRST_HALF.test(all) ? all.slice(-1) : ''
    return this.#read(this.#half ? all.slice(0, -1) : all)
  }

  /** What is left. */
  end(): string {
    const half = this.#half
    this.#half = ''
    return this.#same(half)
  }

  #read(text: string): string {
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

  /** Whether the text has other characters between these places of the plain form. */
  differs(from: number, to: number): boolean {
    const first = this.#markOf(from)
    return this.#marks[first]!.isOther || this.#markOf(to - 1) > first
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
