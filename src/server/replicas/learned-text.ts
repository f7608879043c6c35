import type { Mean } from '../../calls/attempts/figures.ts'
import { isFailureKind } from '../../calls/attempts/failures.ts'
import type { Opening } from '../../calls/attempts/learned-circuits.ts'
import type { LearnedFigures } from '../../calls/attempts/observations.ts'
import { type Fields, isRecord, recordOf } from '../../base/schema/record.ts'
import { HOUR_MS } from '../../base/units/units.ts'

// Reads what another process has written to the store. The database is not trusted: what is not well-formed,
// or beyond what a process can have observed, is left out.

const MAX_NAME_CHARS = 1_000
const MAX_ITEMS = 1_000
const MAX_WEIGHT = 30
/** A mean above this is no time in milliseconds and no speed in tokens per second. */
const MAX_MEAN = 1e6
const MAX_OPEN_MS = HOUR_MS

type Learned = {
  /** The digest of each provider that the others mention. */
  providers: Readonly<Record<string, unknown>>
  openings: readonly Opening[]
  figures: readonly LearnedFigures[]
}

export function readLearnedText(text: string): Learned {
  const { providers, openings, figures } = parsed(text)
  return {
    providers: recordOf(providers),
    openings: items(openings).filter(isOpening),
    figures: items(figures).filter(isLearnedFigures),
  }
}

function parsed(text: string): Fields {
  try {
    return recordOf(JSON.parse(text || '{}'))
  } catch {
    return {}
  }
}

function items(value: unknown): Fields[] {
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS).filter(isRecord) : []
}

function isOpening(item: Fields): item is Fields & Opening {
  const { name, kind, owner, forMs, because, number } = item
  if (!isName(name) || !isName(owner) || !/^[^/]+\/.+ #\d{1,4}$/s.test(name)) return false
  if (kind !== 'everyone' && kind !== 'plain' && kind !== 'customized') return false
  return (
    isWithin(forMs, MAX_OPEN_MS) && typeof number === 'number' && typeof because === 'string' && isFailureKind(because)
  )
}

function isLearnedFigures(item: Fields): item is Fields & LearnedFigures {
  const { target, owner, figures } = item
  return isName(target) && isName(owner) && isRecord(figures) && isFigures(figures)
}

function isFigures({ firstToken, speed, errors }: Fields): boolean {
  return isMean(firstToken, MAX_MEAN) && isMean(speed, MAX_MEAN) && isMean(errors, 1)
}

function isMean(value: unknown, max: number): value is Mean {
  const { sum, weight } = recordOf(value)
  // Both were rounded, so the sum may be a little too large.
  return isWithin(weight, MAX_WEIGHT) && isWithin(sum, max * weight + max * 0.01)
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_NAME_CHARS
}

function isWithin(value: unknown, max: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= max
}
