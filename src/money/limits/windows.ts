import { hasWindows, type Limit, type Window } from '../../platform/config/spend-limits/limit.ts'
import { SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS } from '../../base/units/units.ts'

// Windows begin and end with the calendar of a time zone. The beginning of a window is part of the key under which its
// spending is kept, so nothing ever has to be reset.

/** Milliseconds since 1970; a total never ends. */
export type Span = { start: number; end: number }

export const LENGTH_MS: Partial<Record<Window, number>> = { second: SECOND_MS, minute: MINUTE_MS, hour: HOUR_MS }
const FOREVER: Span = { start: 0, end: Number.POSITIVE_INFINITY }

/** The window of a limit at this moment. A limit without windows has one that never ends; when a session began, the store knows. */
export function windowAt(limit: Pick<Limit, 'unit' | 'window' | 'timezone' | 'idleMs'>, now: number): Span {
  return hasWindows(limit) && limit.idleMs === null ? spanAt(limit.window, limit.timezone, now) : FOREVER
}

/** The window that this moment is in. */
export function spanAt(window: Window, timezone: string, now: number): Span {
  if (window === 'total') return FOREVER
  const length = LENGTH_MS[window]
  return length ? shortSpan(length, timezone, now) : calendarSpan(window, timezone, now)
}

/** Some time zones are half an hour apart from the others. */
function shortSpan(length: number, timezone: string, now: number): Span {
  const offset = offsetAt(timezone, now)
  const start = Math.floor((now + offset) / length) * length - offset
  return { start, end: start + length }
}

function calendarSpan(window: Window, timezone: string, now: number): Span {
  const today = new Date(now + offsetAt(timezone, now))
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()]
  const [first, next] = CALENDAR[window as 'day' | 'week' | 'month'](year, month, day, today.getUTCDay())
  return { start: startOfDay(first!, timezone), end: startOfDay(next!, timezone) }
}

/** The first day of the window and of the next one, as midnight of these dates in UTC. Weeks begin on Monday. */
const CALENDAR = {
  day: (year: number, month: number, day: number) => [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)],
  week: (year: number, month: number, day: number, weekday: number) => {
    const monday = day - ((weekday + 6) % 7)
    return [Date.UTC(year, month, monday), Date.UTC(year, month, monday + 7)]
  },
  month: (year: number, month: number) => [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)],
} as const satisfies Record<string, (...date: [number, number, number, number]) => readonly number[]>

/**
 * When a date begins in a time zone. Where clocks are put forward at midnight, there is no midnight, and the day begins with
 * its first moment. Where they are put back at midnight, the first of two midnights counts.
 */
export function startOfDay(date: number, timezone: string): number {
  const before = date - offsetAt(timezone, date - DAY_MS)
  const after = date - offsetAt(timezone, date + DAY_MS)
  const [early, late] = before < after ? [before, after] : [after, before]
  return early + offsetAt(timezone, early) >= date ? early : firstAtOrAfter(date, early, late, timezone)
}

/** The change of the clocks lies between these moments. */
function firstAtOrAfter(date: number, early: number, late: number, timezone: string): number {
  let [low, high] = [early, late]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (middle + offsetAt(timezone, middle) >= date) high = middle
    else low = middle
  }
  return high
}

const MAX_ZONES = 1_000
const formats = new Map<string, Intl.DateTimeFormat>()

/** Milliseconds by which the clocks of the zone are ahead of UTC. */
export function offsetAt(timezone: string, at: number): number {
  if (timezone === 'UTC') return 0
  const parts: Record<string, number> = {}
  for (const { type, value } of formatOf(timezone).formatToParts(at)) parts[type] = Number(value)
  const { year, month, day, hour, minute, second } = parts as Record<string, number>
  const local = Date.UTC(year!, month! - 1, day!, hour!, minute!, second!)
  return local - Math.floor(at / SECOND_MS) * SECOND_MS
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  const cached = formats.get(timezone)
  if (cached) return cached
  const two = '2-digit' as const
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
  })
  if (formats.size < MAX_ZONES) formats.set(timezone, made)
  return made
}
