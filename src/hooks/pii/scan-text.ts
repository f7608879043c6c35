import type { ScanState } from '../../engine-api/engines.ts'
import type { StepBudget } from '../step-budget.ts'
import { nextCut, plainUntil } from './next-cut.ts'
import { findPersonalData, type Kind, type PersonalData } from './personal-data.ts'

/** What cannot be cut safely is looked at this far; twice as far as the longest thing that is looked for. */
const WINDOW_CHARS = 1_024
/** What stands before a cut inside a word decides whether something begins behind it. */
const CONTEXT_CHARS = 2
/** What it costs to look for everything, beyond passing over it. */
const STEPS_PER_CHAR = 30

export const SCAN_START: Readonly<ScanState> = { context: '', joined: 0 }

/** How it is to be looked through; without a budget, whatever it costs. `isAll`: nothing more of the text will come. */
export type Scan = { kinds: readonly Kind[]; isAll: boolean; state: ScanState; budget?: StepBudget | undefined }

/** What was found, and how far: what stands behind that has to be looked at again with more of the text. */
export type Scanned = { found: PersonalData[]; end: number; state: ScanState }

/** Looks for personal data, as far as what may still come makes no difference. */
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

/** In the middle, but never through something that was found. */
function cutInside(found: readonly PersonalData[]): number {
  const middle = WINDOW_CHARS / 2
  return found.find(({ start, end }) => start < middle && end > middle)?.end ?? middle
}
