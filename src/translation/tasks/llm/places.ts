// Models cannot count characters. They return words, and this module finds their positions.

type TextSpan = { offset: number; length: number }

/** Characters that models replace with similar ones. Each replacement has the same length, so positions stay valid. */
const FOLDS: [RegExp, string][] = [
  [/[\u2018\u2019\u02bc]/g, "'"],
  [/[\u201c\u201d]/g, '"'],
  [/[\u2010-\u2015]/g, '-'],
  [/\s/g, ' '],
]

/** Characters that must not adjoin a match: letters and digits, except in scripts without spaces between words. */
const JOINING =
  /(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{N}\p{M}_]/u

/** No name and no mistake is longer. A search can take the product of both lengths. */
const MAX_WORD_CHARS = 500
/** How much text one answer may search through, about a tenth of a second; later words are not found. */
const MAX_SEARCHED_CHARS = 200_000_000

/** For all words of an answer together. */
const MAX_PLACES = 100_000

/** Finds a word in a text: wherever it stands alone, or else anywhere. */
export function spanFinder(text: string): (word: string) => TextSpan[] {
  const folded = fold(text)
  const spansByWord = new Map<string, TextSpan[]>()
  let [searched, placesLeft] = [0, MAX_PLACES]
  return (word) => {
    const places = spansByWord.get(word) ?? look(word)
    spansByWord.set(word, places)
    return places
  }

  function look(word: string): TextSpan[] {
    searched += text.length
    if (word.length > MAX_WORD_CHARS || searched > MAX_SEARCHED_CHARS) return []
    const everywhere = occurrences(folded, fold(word.trim()), placesLeft)
    placesLeft -= everywhere.length
    const alone = everywhere.filter((span) => standsAlone(folded, span))
    return alone.length > 0 ? alone : everywhere
  }
}

/**
 * Finds the position of each item: the second mention of a word gets the second position. Items that the text does not contain
 * are dropped.
 */
export function withSpans<Item>(text: string, items: readonly Item[], wordOf: (item: Item) => string) {
  const places = new Map<string, Iterator<TextSpan>>()
  const find = spanFinder(text)
  const found = items.flatMap((item) => {
    const word = wordOf(item)
    if (!places.has(word)) places.set(word, find(word).values())
    const next = places.get(word)!.next()
    return next.done ? [] : [{ item, ...next.value }]
  })
  return found.sort(byOffset)
}

/** All positions of all items, without positions inside of others. */
export function withAllSpans<Item>(text: string, items: readonly Item[], wordOf: (item: Item) => string) {
  const find = spanFinder(text)
  const ofWord = new Map(items.map((item) => [wordOf(item), item]))
  const all = [...ofWord].flatMap(([word, item]) => find(word).map((span) => ({ item, ...span })))
  let end = 0
  return all.sort(byOffset).filter(({ offset, length }) => {
    const reaches = offset + length > end
    end = Math.max(end, offset + length)
    return reaches
  })
}

/** Returns nothing if there are more than this many: with only a part of them, something would stay visible. */
function occurrences(text: string, word: string, max: number): TextSpan[] {
  const found: TextSpan[] = []
  if (word === '') return found
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (found.length === max) return []
    found.push({ offset: at, length: word.length })
  }
  return found
}

function standsAlone(text: string, { offset, length }: TextSpan): boolean {
  const end = offset + length
  return !joins(text[offset - 1], text[offset]) && !joins(text[end - 1], text[end])
}

function joins(left = '', right = ''): boolean {
  return JOINING.test(left) && JOINING.test(right)
}

function fold(text: string): string {
  return FOLDS.reduce((folded, [sign, plain]) => folded.replace(sign, plain), text)
}

function byOffset(one: TextSpan, other: TextSpan): number {
  return one.offset - other.offset || other.length - one.length
}
