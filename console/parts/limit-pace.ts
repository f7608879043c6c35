import type { LimitBody } from '../../src/contract/admin/limits.ts'
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../../src/base/units/units.ts'

const LENGTHS = new Map<string, number>([
  ['second', 1_000],
  ['minute', MINUTE_MS],
  ['hour', HOUR_MS],
  ['day', DAY_MS],
  ['week', 7 * DAY_MS],
])
/** Before that, a few calls would say too much. */
const LEAST_MS = 10 * MINUTE_MS

export type Paced = Pick<LimitBody, 'unit' | 'window' | 'resets_at' | 'created_at' | 'spent' | 'left'>

/** Undefined for rates, for limits of many, and while nothing is known. */
export function emptyAt({ unit, left, spent, ...window }: Paced, now: number): number | undefined {
  if (unit === 'concurrent') return undefined
  const start = startOf(window)
  if (left === null || start === undefined || now - start < LEAST_MS) return undefined
  if (spent === 0) return Number.POSITIVE_INFINITY
  return now + (left * (now - start)) / spent
}

/** When counting began: with the window, or with the limit itself. */
function startOf({ window, resets_at: resets, created_at: created }: Omit<Paced, 'unit' | 'left' | 'spent'>) {
  const since = created ? Date.parse(created) : undefined
  if (window === 'total') return since
  if (!resets) return undefined
  const end = Date.parse(resets)
  const length = LENGTHS.get(window)
  return Math.max(length === undefined ? monthBefore(end) : end - length, since ?? 0)
}

/** Months begin in the zone of the limit. Within 14 hours of that, it is the first of the month in UTC, too. */
function monthBefore(end: number): number {
  const shifted = new Date(end + 14 * HOUR_MS)
  shifted.setUTCMonth(shifted.getUTCMonth() - 1)
  return shifted.getTime() - 14 * HOUR_MS
}
