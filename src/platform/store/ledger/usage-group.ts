import type { OwnLabel, TAG_PREFIX } from './rolled-labels.ts'
import { DIMENSIONS, type Dimension } from './rollups.ts'
import { DAY_MS, HOUR_MS } from '../../../base/units/units.ts'

/** What the caller said about a call: its end user, session or agent, or one of its tags. */
type Label = OwnLabel | `${typeof TAG_PREFIX}${string}`
/** A time that is counted as a whole. */
export type Period = 'day' | 'hour'
/** What reports are grouped by. */
export type UsageGroup = Dimension | Period | Label

/** Periods are grouped as numbers, because the two databases share no function that would format them. */
export const PERIOD_MS: Readonly<Record<Period, number>> = { day: DAY_MS, hour: HOUR_MS }

export function isPeriod(groupBy: UsageGroup): groupBy is Period {
  return Object.hasOwn(PERIOD_MS, groupBy)
}

export function isLabel(groupBy: UsageGroup): groupBy is Label {
  return !isPeriod(groupBy) && !Object.hasOwn(DIMENSIONS, groupBy)
}

/** `2026-11-16`, or `2026-11-16T08:00Z` for an hour. */
export function periodName(number: number, period: Period): string {
  const time = new Date(number * PERIOD_MS[period]).toISOString()
  return period === 'day' ? time.slice(0, 'YYYY-MM-DD'.length) : `${time.slice(0, 'YYYY-MM-DDTHH'.length)}:00Z`
}
