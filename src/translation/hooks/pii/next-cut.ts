// Personal data may contain blanks (a card, an account number), so a text cannot be cut at every blank. Only a blank near
// digits may be part of it; everywhere else the text before a blank can be released.

const MAX_SHORT_CHARS = 4
const TELLING = /[\d@]/
const SPACE = /\s/
const PLAIN_SPACE = /[ \u00a0]/
const WORD = /\S*/y
const SPACES = /\s+/y

/** `cut` is undefined if more text is needed. Up to the word at `joined` the text is known to belong together. */
type NextCut = { cut: number | undefined; joined: number }

/** The end of the first part that no later text can belong to. `from` is what is already known to belong together. */
export function nextCut(text: string, isAll: boolean, from = 0): NextCut {
  const blank = endOf(SPACES, text, 0)
  if (blank > 0) return { cut: blank, joined: 0 }
  let [start, end] = [from, endOf(WORD, text, from)]
  for (;;) {
    const joined = isJoined(text, start, end, isAll)
    if (joined === undefined) return { cut: undefined, joined: start }
    if (!joined) return { cut: end, joined: start }
    start = end + 1
    end = endOf(WORD, text, start)
  }
}

/**
 * The length of the text that certainly contains nothing: up to two words before its first digit or @, or before its end.
 */
export function plainUntil(text: string): number {
  const telling = text.search(TELLING)
  let at = telling < 0 ? text.length : telling
  for (let words = 0; words < 2; words++) {
    while (at > 0 && !SPACE.test(text[at - 1]!)) at--
    while (at > 0 && SPACE.test(text[at - 1]!)) at--
  }
  return at
}

/** Whether the word and the next one may belong together; undefined if more text is needed to decide. */
function isJoined(text: string, start: number, end: number, isAll: boolean): boolean | undefined {
  if (end === text.length) return isAll ? false : undefined
  const word = text.slice(start, end)
  if (!PLAIN_SPACE.test(text[end]!) || !(hasDigit(word) || isShort(word))) return false
  if (end + 1 === text.length) return isAll ? false : undefined
  if (SPACE.test(text[end + 1]!)) return false
  return followsOn(word, text.slice(end + 1, endOf(WORD, text, end + 1)), isAll || hasWordEnd(text, end + 1))
}

/** A word that is not complete may still get a digit. */
function followsOn(word: string, next: string, isWhole: boolean): boolean | undefined {
  if (hasDigit(next)) return true
  return isWhole ? hasDigit(word) && isShort(next) : undefined
}

function hasWordEnd(text: string, start: number): boolean {
  return endOf(WORD, text, start) < text.length
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

function hasDigit(word: string): boolean {
  return /\d/.test(word)
}

function isShort(word: string): boolean {
  return word.length <= MAX_SHORT_CHARS
}
