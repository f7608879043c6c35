import type { CheckedText, Span, Verdict } from './check.ts'
import { changedSpans } from './remote/changed-spans.ts'
import { withoutOverlaps } from './remote/joined-texts.ts'

// Services and models read only so much at once. Longer texts are cut into parts that overlap, so that nothing hides in a cut, and what
// is said about the parts is put together again.

/** Texts that are asked about together; `places` says of which text each is a part, and where that part begins. */
export type Part = { texts: CheckedText[]; places: { index: number; from: number }[] }

type Bounds = { maxChars: number; maxTexts?: number | undefined }

/** At most this much of a text is seen twice. What is found has to be shorter, or a part of it alone has to be recognizable. */
const MAX_OVERLAP = 200

export function partsOf(
  texts: readonly CheckedText[],
  { maxChars, maxTexts = Number.POSITIVE_INFINITY }: Bounds,
): Part[] {
  const parts: Part[] = []
  let part: Part = { texts: [], places: [] }
  let chars = 0
  for (const [index, text] of texts.entries()) {
    for (const { from, to } of cuts(text.text, maxChars)) {
      if (part.texts.length > 0 && (chars + to - from > maxChars || part.texts.length >= maxTexts)) {
        parts.push(part)
        part = { texts: [], places: [] }
        chars = 0
      }
      part.texts.push(from === 0 && to === text.text.length ? text : { ...text, text: text.text.slice(from, to) })
      part.places.push({ index, from })
      chars += to - from
    }
  }
  return part.texts.length > 0 ? [...parts, part] : parts
}

/** Blank texts have no cuts. No cut divides a character. */
function cuts(text: string, maxChars: number): { from: number; to: number }[] {
  if (text.trim() === '') return []
  const found: { from: number; to: number }[] = []
  const overlap = Math.min(MAX_OVERLAP, Math.floor(maxChars / 4))
  for (let from = 0; ; from = beforePair(text, found.at(-1)!.to - overlap)) {
    const to = from + maxChars >= text.length ? text.length : beforePair(text, from + maxChars)
    found.push({ from, to })
    if (to === text.length) return found
  }
}

function beforePair(text: string, at: number): number {
  const isInside = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
  return isInside ? at - 1 : at
}

/** What is said about all texts; `verdicts` are those of the parts. */
export function wholeVerdict(
  texts: readonly CheckedText[],
  parts: readonly Part[],
  verdicts: readonly Verdict[],
): Verdict {
  const found = [...new Set(verdicts.flatMap((verdict) => verdict.found))]
  const isLocated = verdicts.every((verdict) => verdict.found.length === 0 || verdict.spans || verdict.texts)
  return {
    found,
    ...(found.length > 0 &&
      isLocated &&
      (rewritten(texts, parts, verdicts) ?? { spans: spansOf(texts, parts, verdicts) })),
    ...holdback(texts, parts, verdicts),
  }
}

/** The texts as they were rewritten, if none of them was cut. */
function rewritten(
  texts: readonly CheckedText[],
  parts: readonly Part[],
  verdicts: readonly Verdict[],
): { texts: string[] } | undefined {
  const result = texts.map(({ text }) => text)
  for (const [at, { places, texts: asked }] of parts.entries()) {
    const { found, texts: returned } = verdicts[at]!
    if (found.length === 0) continue
    if (!returned) return undefined
    for (const [which, { index }] of places.entries()) {
      if (asked[which]!.text.length !== texts[index]!.text.length) return undefined
      result[index] = returned[which]!
    }
  }
  return { texts: result }
}

function spansOf(texts: readonly CheckedText[], parts: readonly Part[], verdicts: readonly Verdict[]): Span[][] {
  const spans: Span[][] = texts.map(() => [])
  for (const [at, { places, texts: asked }] of parts.entries())
    for (const [which, { index, from }] of places.entries())
      for (const span of spansIn(verdicts[at]!, which, asked[which]!.text))
        spans[index]!.push({ ...span, from: span.from + from, to: span.to + from })
  return spans.map(withoutOverlaps)
}

function spansIn({ found, spans, texts }: Verdict, which: number, text: string): readonly Span[] {
  if (found.length === 0) return []
  return spans ? spans[which]! : changedSpans(text, texts![which]!, found.join(' '))
}

/** The last part of a text says how much of its end must not be released. */
function holdback(
  texts: readonly CheckedText[],
  parts: readonly Part[],
  verdicts: readonly Verdict[],
): Pick<Verdict, 'holdbackChars'> {
  const chars = texts.map(() => 0)
  for (const [at, { places }] of parts.entries())
    for (const [which, { index }] of places.entries()) chars[index] = verdicts[at]!.holdbackChars?.[which] ?? 0
  return chars.some((count) => count > 0) ? { holdbackChars: chars } : {}
}
