import type { Window } from '../../../../platform/config/spend-limits/limit.ts'
import { DAY_SECONDS, MINUTE_SECONDS, HOUR_SECONDS } from '../../../../base/units/units.ts'

// How long a budget of LiteLLM lasts. Its days, weeks (`7d`) and months (`30d`, `1mo`) begin with the calendar, as ours do.

const LENGTHS = {
  second: 1,
  minute: MINUTE_SECONDS,
  hour: HOUR_SECONDS,
  day: DAY_SECONDS,
  week: 7 * DAY_SECONDS,
  month: 30 * DAY_SECONDS,
} as const
const UNITS: Readonly<Record<string, number>> = {
  s: 1,
  m: MINUTE_SECONDS,
  h: HOUR_SECONDS,
  d: DAY_SECONDS,
  w: 7 * DAY_SECONDS,
  mo: 30 * DAY_SECONDS,
}
const WORDS: Readonly<Record<string, string>> = { hourly: '1h', daily: '1d', weekly: '7d', monthly: '30d' }

/** A window of ours, and how much of an amount of the source belongs into it: 1 if both are equally long. */
type SourceWindow = { window: Window; factor: number }

/** A budget without a duration is never reset. LiteLLM resets one that it cannot read at midnight. */
export function windowOf(duration: unknown): SourceWindow {
  if (typeof duration !== 'string' || duration === '') return { window: 'total', factor: 1 }
  const word = duration.trim().toLowerCase()
  const [, count = '', unit = ''] = /^(\d{1,6})(mo|[smhdw])/.exec(WORDS[word] ?? word) ?? []
  const seconds = Number(count) * (UNITS[unit] ?? 0)
  return seconds > 0 ? nearest(seconds) : { window: 'day', factor: 1 }
}

/** Of windows that are not as long, the one of the most similar length, with the same amount for the same time. */
function nearest(seconds: number): SourceWindow {
  const rows = Object.entries(LENGTHS).map(([window, length]) => ({
    window: window as Window,
    factor: length / seconds,
  }))
  const best = rows.reduce((best, row) => (distance(row) < distance(best) ? row : best))
  return distance(best) < AS_LONG ? { ...best, factor: 1 } : best
}

/** 28 to 31 days are a month. */
const AS_LONG = 0.07

function distance({ factor }: SourceWindow): number {
  return Math.abs(Math.log(factor))
}
