import { DAY_MS, HOUR_MS, WEEK_MS } from './rollups.ts'

/** `from` ≤ time < `to`. Empty if both are the same. */
export type Range = { from: number; to: number }

/** A range of time as whole weeks, days and hours, with lines for the parts of hours at its ends. */
export type SplitRange = {
  week: Range
  /** Before and after the weeks. */
  days: [Range, Range]
  /** Before and after the days. */
  hours: [Range, Range]
  /** Lines in parts of hours that are not among the hours. */
  added: [Range, Range]
  /** Lines that are in one of the hours, but not in the range. */
  removed: [Range, Range]
}

export type SplitOptions = {
  now: number
  /** The largest step whose sums can be used: a report by day cannot use weeks. */
  largest: 'week' | 'day' | 'hour'
}

/**
 * Of an hour that is only partly in the range, fewer lines are read: either those in the range are added, or the whole hour
 * is taken and the lines outside of the range are removed from it. So a report up to now reads no lines of the current hour.
 */
export function splitRange({ from, to }: Range, { now, largest }: SplitOptions): SplitRange {
  if (to <= from || floor(from, HOUR_MS) === floor(to, HOUR_MS)) return linesOnly({ from, to: Math.max(from, to) })
  const start = startOf(from, now)
  const end = endOf(to, now)
  const hours = { from: start.at, to: end.at }
  const days = largest === 'hour' ? emptyAt(hours.to) : whole(hours, DAY_MS)
  const week = largest === 'week' ? whole(days, WEEK_MS) : emptyAt(days.to)
  return {
    week,
    days: around(days, week),
    hours: around(hours, days),
    added: [start.added, end.added],
    removed: [start.removed, end.removed],
  }
}

type End = { at: number; added: Range; removed: Range }

function startOf(time: number, now: number): End {
  const hour = floor(time, HOUR_MS)
  const next = time === hour ? hour : hour + HOUR_MS
  const addsFewer = Math.min(next, now) - time <= time - hour
  if (addsFewer) return { at: next, added: { from: time, to: next }, removed: emptyAt(time) }
  return { at: hour, added: emptyAt(time), removed: { from: hour, to: time } }
}

function endOf(time: number, now: number): End {
  const hour = floor(time, HOUR_MS)
  const next = time === hour ? hour : hour + HOUR_MS
  const addsFewer = Math.min(time, now) - hour <= Math.min(next, now) - time
  if (addsFewer) return { at: hour, added: { from: hour, to: time }, removed: emptyAt(time) }
  return { at: next, added: emptyAt(time), removed: { from: time, to: next } }
}

function linesOnly(range: Range): SplitRange {
  const none = emptyAt(range.to)
  return { week: none, days: [none, none], hours: [none, none], added: [range, none], removed: [none, none] }
}

/** The whole steps in a range. */
function whole({ from, to }: Range, step: number): Range {
  const start = -floor(-from, step)
  return start < floor(to, step) ? { from: start, to: floor(to, step) } : emptyAt(to)
}

/** What is in the outer range before and after the inner one. */
function around(outer: Range, inner: Range): [Range, Range] {
  return [
    { from: outer.from, to: inner.from },
    { from: inner.to, to: outer.to },
  ]
}

function emptyAt(time: number): Range {
  return { from: time, to: time }
}

function floor(time: number, step: number): number {
  return Math.floor(time / step) * step
}
