import type { ScanState } from '../../engine-api/engines.ts'
import type { StepBudget } from '../step-budget.ts'
import { nextCut, plainUntil } from './next-cut.ts'
import { findPersonalData, type Kind, type PersonalData } from './personal-data.ts'

/** How much text without a safe cut is searched at once: twice the length of the longest kind. */
const WINDOW_CHARS = 1_024
/** The characters before a cut inside a word decide whether something can begin after it. */
const CONTEXT_CHARS = 2
/** The cost of searching a character for all kinds, in addition to skipping it. */
const STEPS_PER_CHAR = 30

export const SCAN_START: Readonly<ScanState> = { context: '', joined: 0 }

/** The options of a search. Without a budget the cost does not matter. `isAll` means that no more text will come. */
type Scan = { kinds: readonly Kind[]; isAll: boolean; state: ScanState; budget?: StepBudget | undefined }

/** The findings, and the end of the searched text: the rest has to be searched again together with more text. */
type Scanned = { found: PersonalData[]; end: number; state: ScanState }

/** Searches for personal data, as far as later text makes no difference. */
export function scanText(text: string, { kinds, isAll, state, budget }: Scan): Scanned {
  const found: PersonalData[] = []
  let [at, { context, joined }] = [0, state]
  while (at < text.length) {
    const window = text.slice(at, at + WINDOW_CHARS)
    const plain = joined > 0 ? 0 : plainUntil(window)
    budget?.spendChars(plain || window.length)
    if (plain > 0) {
      context = ''
      at += plain
      continue
    }
    const next = nextCut(window, isAll && at + window.length === text.length, joined)
    if (next.cut === undefined && window.length < WINDOW_CHARS)
      return { found, end: at, state: { context, joined: next.joined } }
    const part = window.slice(0, next.cut)
    budget?.spend(part.length * STEPS_PER_CHAR)
    const inside = findAfter(context, part, kinds)
    const end = next.cut ?? cutInside(inside)
    for (const one of inside) if (one.end <= end) found.push({ ...one, start: one.start + at, end: one.end + at })
    context = next.cut === undefined ? window.slice(end - CONTEXT_CHARS, end) : ''
    joined = 0
    at += end
  }
  return { found, end: at, state: { context, joined: 0 } }
}

function findAfter(context: string, part: string, kinds: readonly Kind[]): PersonalData[] {
  const shift = context.length
  const spans = findPersonalData(context + part, kinds).filter(({ start }) => start >= shift)
  return spans.map(({ kind, start, end }) => ({ kind, start: start - shift, end: end - shift }))
}

/** Cuts in the middle, but never through a finding. */
function cutInside(found: readonly PersonalData[]): number {
  const middle = WINDOW_CHARS / 2
  return found.find(({ start, end }) => start < middle && end > middle)?.end ?? middle
}
