import { HOUR_MS, DAY_MS } from '../../src/base/units/units.ts'

// How amounts and times are written. Numbers are for people: grouped, in their own time zone, never longer than needed.

const WHOLE = new Intl.NumberFormat('en')
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
const EXACT = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 9 })
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })
const TIME = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const MINUTE = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const UTC_DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const UNKNOWN = '–'

/** `–` for a price that is not known, `~` before an estimate. A small amount keeps two digits that say something. */
export function money(usd: number | null | undefined, isEstimated = false): string {
  if (usd === null || usd === undefined) return UNKNOWN
  return `${isEstimated ? '~' : ''}$${dollars(usd)}`
}

function dollars(usd: number): string {
  if (usd === 0) return '0'
  if (usd >= 1_000) return WHOLE.format(Math.round(usd))
  if (usd >= 0.01) return usd.toFixed(2)
  if (usd < 0.000_000_1) return '<0.0000001'
  return usd.toFixed(Math.min(8, 1 - Math.floor(Math.log10(usd))))
}

/** With all digits that say something, where parts have to add up. */
export function exactMoney(usd: number, isEstimated = false): string {
  return `${isEstimated ? '~' : ''}$${EXACT.format(usd)}`
}

export function count(amount: number | null | undefined): string {
  return amount === null || amount === undefined ? UNKNOWN : WHOLE.format(amount)
}

/** For tiles and axes, where 1.2M says more than 1,204,812. */
export function compact(amount: number | null | undefined): string {
  return amount === null || amount === undefined ? UNKNOWN : COMPACT.format(amount)
}

export function share(part: number): string {
  return PERCENT.format(part)
}

const PLURALS: Readonly<Record<string, string>> = {
  person: 'people',
  entry: 'entries',
  alias: 'aliases',
  batch: 'batches',
}

/** `1 call`, `2 calls`, `1,204 calls`. */
export function plural(amount: number, noun: string): string {
  return `${count(amount)} ${amount === 1 ? noun : (PLURALS[noun] ?? `${noun}s`)}`
}

/** How much more or less than before, with its sign. Undefined without an earlier amount. */
export function change(now: number, before: number): string | undefined {
  if (before === 0) return undefined
  const part = now / before - 1
  return `${part > 0 ? '+' : ''}${PERCENT.format(part).replace('-', '−')}`
}

/** The difference of two shares, in points of percent. */
export function points(difference: number): string {
  const amount = (Math.abs(difference) * 100).toFixed(1)
  return `${amount === '0.0' ? '±' : difference > 0 ? '+' : '−'}${amount} pts`
}

export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return UNKNOWN
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${count(Math.floor(seconds / 3_600))} h ${Math.floor((seconds % 3_600) / 60)} min`
}

const STEPS = [
  [DAY_MS, 'day'],
  [HOUR_MS, 'hour'],
  [60_000, 'minute'],
] as const

/** For forecasts, where seconds would say too much. */
export function roughly(ms: number): string {
  if (!Number.isFinite(ms)) return 'more than a year'
  const [length, name] = STEPS.find(([step]) => ms >= step * 2) ?? STEPS[2]
  const amount = Math.max(1, Math.round(ms / length))
  return amount > 1_000 ? 'more than a year' : plural(amount, name)
}

export function moment(iso: string | null | undefined): string {
  return iso ? MOMENT.format(new Date(iso)) : UNKNOWN
}

/** For what happens at a whole minute, such as the end of a month. */
export function minuteMoment(iso: string): string {
  return MINUTE.format(new Date(iso))
}

/** The zone that all times of the console are in, with its distance from UTC. */
export function zoneName(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  if (timeZone === 'UTC') return timeZone
  const parts = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' }).formatToParts()
  const offset = parts.find(({ type }) => type === 'timeZoneName')!.value.replace('GMT', 'UTC')
  return `${timeZone} (${offset})`
}

/** Only the time for what was today. */
export function shortMoment(iso: string): string {
  const at = new Date(iso)
  const isToday = at.toDateString() === new Date().toDateString()
  return isToday ? TIME.format(at) : `${DAY.format(at)}, ${TIME.format(at)}`
}

/** The beginning of an hour or a day. The gateway counts days in UTC. */
export function bucketName(at: number, bucket: 'hour' | 'day'): string {
  return bucket === 'hour' ? MINUTE.format(at) : UTC_DAY.format(at)
}
