import { useMemo } from 'preact/hooks'
import type { Texts } from '../use-query.ts'
import { type SpanName, spanOf } from '../time-range.tsx'
import { HOUR_MS, DAY_MS } from '../../../src/base/units/units.ts'

/** Longer times are shown by days. */
const MAX_HOURS = 72

type Bucket = 'hour' | 'day'

/** A time in whole hours or days, and the one of the same length before it. All numbers of a screen are about the same. */
export type UsageSpan = { bucket: Bucket; from: string; to: string; beforeFrom: string; starts: readonly number[] }

export function useUsageSpan(query: Texts, usual: SpanName): UsageSpan {
  const { last, from, to } = query
  return useMemo(() => usageSpan(spanOf({ last, from, to }, usual)), [last, from, to, usual])
}

/** It begins with a whole hour or day, so that the first bar is not shorter than the others for no reason. */
function usageSpan({ from, to }: { from: string; to?: string }): UsageSpan {
  const end = to ? Date.parse(to) : Date.now()
  const bucket: Bucket = end - Date.parse(from) <= MAX_HOURS * HOUR_MS ? 'hour' : 'day'
  const length = bucket === 'hour' ? HOUR_MS : DAY_MS
  const start = Math.floor(Date.parse(from) / length) * length
  const count = Math.max(1, Math.ceil((end - start) / length))
  const iso = (at: number) => new Date(at).toISOString()
  return {
    bucket,
    from: iso(start),
    to: iso(end),
    beforeFrom: iso(start - count * length),
    starts: Array.from({ length: count }, (_, at) => start + at * length),
  }
}

/** The moment that a group of `group_by=hour` or `day` begins at. */
export function startOfGroup(group: string): number {
  return Date.parse(group.replace(/:00Z$/, ':00:00Z'))
}

/** Of the month in UTC, as roll-ups of usage have it. */
export function monthStart(): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString()
}
