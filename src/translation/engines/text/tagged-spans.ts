import nlp from 'compromise'
import type { Finding, Span } from '../../engine-api/engines.ts'

type View = ReturnType<typeof nlp>
/** The needed part of a selection; the parser has a separate type for each kind. */
type Selection = { json(options: { offset: boolean }): unknown }
type Phrase = { text: string; offset: { start: number } }

/** Characters around a phrase that are not part of it. */
const EDGES = /^[\s\p{P}]+|(?:['’]s)?[\s\p{P}]+$|['’]s$/gu
const MORE_OF_A_NAME = /^(?: \p{Lu}\p{Ll}+){1,2}/u
const KEPT_EDGE = /^(?:Inc|Corp|Ltd|Co|Jr|Sr)\.$/

export function readEnglish(text: string): View {
  return nlp(text)
}

/** The positions of the phrases of a selection. The parser's positions are used only where the text agrees. */
export function taggedSpans(text: string, selection: Selection, label: string): Finding[] {
  const found: Finding[] = []
  let from = 0
  for (const phrase of selection.json({ offset: true }) as Phrase[]) {
    const plain = withoutEdges(phrase.text)
    const start = plain === '' ? -1 : offsetOf(text, plain, phrase.offset.start, from)
    if (start < 0) continue
    from = start + plain.length
    found.push({ start, end: from, label })
  }
  return found
}

/** People, including capitalised words after a name that the parser drops: `Angela Merkel's`. */
export function peopleIn(text: string, read: View, label: string): Finding[] {
  return taggedSpans(text, read.people(), label).map((one) => {
    return { ...one, end: one.end + (MORE_OF_A_NAME.exec(text.slice(one.end))?.[0].length ?? 0) }
  })
}

/** The spans of the first list, and those of the others that do not overlap with them; in the order of the text. */
export function mergedSpans<One extends Span>(...lists: One[][]): One[] {
  const merged: One[] = []
  for (const one of lists.flat())
    if (!merged.some((other) => one.start < other.end && other.start < one.end)) merged.push(one)
  return merged.toSorted((one, other) => one.start - other.start)
}

function withoutEdges(phrase: string): string {
  const trimmed = phrase.trim()
  return KEPT_EDGE.test(trimmed.split(' ').at(-1)!) ? trimmed : trimmed.replace(EDGES, '')
}

function offsetOf(text: string, plain: string, hint: number, from: number): number {
  const near = text.indexOf(plain, Math.max(0, hint))
  return near >= 0 && near <= hint + 3 ? near : text.indexOf(plain, from)
}
