import type { PreTools } from '../hook.ts'
import type { LongWork } from '../long-work.ts'
import { type Kind, type PersonalData, ENGINE_KINDS } from './personal-data.ts'
import { PLACEHOLDER } from './placeholders.ts'
import { type Redaction, STEPS_PER_MATCH, withPlaceholders } from './redact-filter.ts'

const LETTER = /\p{L}/u
/** More than the longest placeholder. */
const AROUND_CHARS = 32
/**
 * A name or address never includes a placeholder, or characters that would need an escape when the value is restored inside
 * JSON.
 */
const NO_PART = new RegExp(String.raw`${PLACEHOLDER.source}|["\\\p{Cc}]`, 'gu')

/** The requested kinds that only an engine can find. */
export function engineKinds(kinds: readonly Kind[] | null | undefined): Kind[] {
  return ENGINE_KINDS.filter((kind) => kinds?.includes(kind))
}

/** Replaces names and addresses. Returns the new texts by the original ones. Patterns have been applied before. */
export async function redactByEngine(texts: Iterable<string>, redaction: Redaction, tools: PreTools) {
  const read = [...new Set(texts)].filter((text) => LETTER.test(text))
  const found = read.length > 0 ? await tools.personalDataIn(read, redaction.kinds) : []
  const hidden = new Map<string, string>()
  for (const [at, text] of read.entries())
    hidden.set(
      text,
      await withPlaceholders(text, await partsOf(text, found[at]!, tools.longWork), redaction, tools.longWork),
    )
  return hidden
}

async function partsOf(text: string, found: readonly PersonalData[], work: LongWork): Promise<PersonalData[]> {
  const parts: PersonalData[] = []
  for (const one of found) {
    const turn = work.spend(STEPS_PER_MATCH)
    if (turn) await turn
    parts.push(...partsOfOne(text, one))
  }
  return parts
}

function partsOfOne(text: string, { start, end, kind }: PersonalData): PersonalData[] {
  const from = Math.max(0, start - AROUND_CHARS)
  const gaps = [...text.slice(from, end + AROUND_CHARS).matchAll(NO_PART)].map(({ index, 0: gap }) => {
    return { start: from + index, end: from + index + gap.length }
  })
  const starts = [start, ...gaps.map((gap) => Math.max(start, gap.end))]
  const ends = [...gaps.map((gap) => Math.min(end, gap.start)), end]
  return starts.flatMap((one, at) => trimmed(text, { start: one, end: ends[at]!, kind }))
}

function trimmed(text: string, { start, end, kind }: PersonalData): PersonalData[] {
  if (start >= end) return []
  const part = text.slice(start, end)
  const begin = start + part.length - part.trimStart().length
  return LETTER.test(part) ? [{ start: begin, end: begin + part.trim().length, kind }] : []
}
