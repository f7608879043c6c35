import type { CheckedText, Span } from '../check.ts'
import { UnreadableVerdict } from '../reply-reader.ts'

// Some services take one text. What they say about several that were joined is taken apart again.

const BETWEEN = '\n\n'

/** With as many texts as this, joining adds fewer than 1,000 characters. */
export const MAX_JOINED = 400

export function joinedText(texts: readonly CheckedText[]): string {
  return texts.map(({ text }) => text).join(BETWEEN)
}

/** The spans of the joined text, in each of the texts: in order, and without overlaps. */
export function spansInTexts(spans: readonly Span[], texts: readonly CheckedText[]): Span[][] {
  let start = 0
  return texts.map(({ text }) => {
    const from = start
    start += text.length + BETWEEN.length
    return withoutOverlaps(spans.flatMap((span) => within(span, from, text.length)))
  })
}

function within({ from, to, rule }: Span, start: number, length: number): Span[] {
  const [first, last] = [Math.max(from - start, 0), Math.min(to - start, length)]
  return first < last ? [{ from: first, to: last, rule }] : []
}

/** Spans that overlap become one, with the rule of the first. */
export function withoutOverlaps(spans: readonly Span[]): Span[] {
  const kept: Span[] = []
  for (const span of spans.toSorted((one, other) => one.from - other.from || other.to - one.to)) {
    const last = kept.at(-1)
    if (last && span.from < last.to) kept[kept.length - 1] = { ...last, to: Math.max(last.to, span.to) }
    else kept.push(span)
  }
  return kept
}

/** Every place of a word that a service has named without saying where it stands. */
export function placesOf(word: string, text: string, rule: string): Span[] {
  const found: Span[] = []
  if (word === '') return found
  for (let from = text.indexOf(word); from !== -1; from = text.indexOf(word, from + 1))
    found.push({ from, to: from + word.length, rule })
  return withoutOverlaps(found)
}

/** The same places for services that count characters as Unicode code points. */
export function fromCodePoints(spans: readonly Span[], text: string): Span[] {
  if (spans.length === 0) return []
  const starts = startsOfCharacters(text)
  return spans.map(({ from, to, rule }) => {
    const [first, last] = [starts[from], starts[to]]
    if (first === undefined || last === undefined || first >= last)
      throw new UnreadableVerdict('the check names a place outside of the text')
    return { from: first, to: last, rule }
  })
}

/** Where each character begins, and where the text ends. */
function startsOfCharacters(text: string): number[] {
  const starts: number[] = []
  let at = 0
  for (const character of text) {
    starts.push(at)
    at += character.length
  }
  starts.push(at)
  return starts
}
