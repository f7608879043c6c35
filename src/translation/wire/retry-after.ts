import type { WireResponse } from './wire.ts'
import { DAY_SECONDS } from '../../base/units/units.ts'

/** No limit of a provider is longer than a day: a longer wait is a mistake, or says that the wait has no end in sight. */
const MAX_SECONDS = DAY_SECONDS
/** Seconds with or without a fraction. */
const NUMBER = /^\d{1,15}(?:\.\d{1,9})?$/
/** A duration as Go writes it: `1h2m3.5s`, `20ms`. */
const DURATION =
  /^(?=\d)(?:(\d{1,6}(?:\.\d{1,9})?)h)?(?:(\d{1,6}(?:\.\d{1,9})?)m)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,12}(?:\.\d{1,9})?)ms)?$/
const PARTS_OF_DURATION = [3_600, 60, 1, 0.001]
/** Numbers from here on are moments: seconds, or milliseconds, since 1970. */
const FIRST_EPOCH_SECOND = 1e9
const FIRST_EPOCH_MS = 1e12

/**
 * The seconds that a provider asks us to wait, seen at `now`: `retry-after-ms`, which is more exact, `retry-after`, or for a
 * rate limit the moment at which the exhausted limits are full again. Undefined if it says nothing that can be read; then our
 * own default applies. A moment in the past is no wait.
 */
export function readRetryAfter(response: Pick<WireResponse, 'status' | 'headers'>, now: number): number | undefined {
  const { status, headers } = response
  const seconds =
    textsIn(headers['retry-after-ms']).map(milliseconds).find(isKnown) ??
    textsIn(headers['retry-after'])
      .map((text) => secondsIn(text, now))
      .find(isKnown) ??
    (status === 429 ? secondsToReset(headers, now) : undefined)
  return seconds === undefined ? undefined : Math.min(MAX_SECONDS, seconds)
}

/** Providers send one such header for each limit, and beside it how much is left. A limit that is not used up is not waited for. */
function secondsToReset(headers: WireResponse['headers'], now: number): number | undefined {
  const waits = Object.keys(headers).flatMap((name) => {
    if (!isReset(name) || isLeft(headers[name.replace('reset', 'remaining')])) return []
    return textsIn(headers[name])
      .map((text) => secondsIn(text, now))
      .filter(isKnown)
  })
  return waits.length > 0 ? Math.max(...waits) : undefined
}

/** Such as `x-ratelimit-reset-tokens` and `anthropic-ratelimit-tokens-reset`. */
function isReset(name: string): boolean {
  return name.includes('ratelimit') && name.includes('reset')
}

function isLeft(remaining: string | string[] | undefined): boolean {
  return textsIn(remaining).some((text) => NUMBER.test(text) && Number(text) > 0)
}

/** Seconds, a duration, or a moment: the forms of HTTP, RFC 3339, or a time since 1970. */
function secondsIn(text: string, now: number): number | undefined {
  if (NUMBER.test(text)) return secondsOf(Number(text), now)
  const duration = DURATION.exec(text)
  if (duration) return PARTS_OF_DURATION.reduce((sum, unit, at) => sum + unit * Number(duration[at + 1] ?? 0), 0)
  const moment = momentIn(text, now)
  return moment === undefined ? undefined : until(moment, now)
}

function secondsOf(value: number, now: number): number {
  if (value < FIRST_EPOCH_SECOND) return value
  return until(value < FIRST_EPOCH_MS ? value * 1_000 : value, now)
}

function milliseconds(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) / 1_000 : undefined
}

function until(moment: number, now: number): number {
  return Math.max(0, (moment - now) / 1_000)
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const CLOCK = String.raw`(?<clock>\d\d:\d\d:\d\d)`
/** The three forms of a date in HTTP, of which senders may use only the first, and readers have to read all. */
const DATES = [
  new RegExp(String.raw`^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) ${CLOCK} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) ${CLOCK} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) ${CLOCK} (?<year>\d{4})$`),
]
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/

function momentIn(text: string, now: number): number | undefined {
  const moment = RFC_3339.test(text) ? Date.parse(text) : httpDateIn(text, now)
  return Number.isFinite(moment) ? moment : undefined
}

function httpDateIn(text: string, now: number): number {
  const { day, month, year, clock } = DATES.map((form) => form.exec(text)).find(Boolean)?.groups ?? {}
  const at = MONTHS.indexOf(month ?? '') + 1
  if (!day || !year || at === 0) return Number.NaN
  const whole = year.length === 2 ? nearYear(Number(year), now) : year
  return Date.parse(`${whole}-${String(at).padStart(2, '0')}-${day.replace(' ', '0')}T${clock}Z`)
}

/** A year of two digits is at most 50 years ahead. */
function nearYear(year: number, now: number): number {
  const today = new Date(now).getUTCFullYear()
  const near = today - (today % 100) + year
  return near > today + 50 ? near - 100 : near
}

function textsIn(header: string | string[] | undefined): string[] {
  return [header ?? []].flat().map((text) => text.trim())
}

function isKnown(value: number | undefined): value is number {
  return value !== undefined
}
