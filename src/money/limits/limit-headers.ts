import type { Limit, Unit } from '../../platform/config/spend-limits/limit.ts'
import type { OpenWindow } from './reservation.ts'
import { LENGTH_MS } from './windows.ts'
import { SECOND_MS, HOUR_SECONDS, DAY_SECONDS, MINUTE_SECONDS } from '../../base/units/units.ts'

// What clients read about their limits: the headers of OpenAI or Anthropic have the limit with the fewest requests left and the one
// with the fewest tokens left; those of the IETF (draft-ietf-httpapi-ratelimit-headers) have the few with the smallest part left.
// Money is in none of them.

/** Whose headers the client reads. */
type HeaderStyle = 'openai' | 'anthropic'

/** `resetMs`: until all of it is left again, or a new window begins. */
type Remaining = { window: OpenWindow; remaining: number; resetMs: number }

/** Ids have up to 100 characters: both lists together stay below 3 kB. */
const MAX_LISTED = 8
/** The units that headers tell about, and the names of these headers. */
type Told = { units: readonly Unit[] } & Record<HeaderStyle, readonly string[]>
const REQUESTS = namesFor('requests', ['requests'])
const TOKENS = namesFor('tokens', ['tokens', 'input_tokens', 'output_tokens'])

function namesFor(name: string, units: readonly Unit[]): Told {
  const parts = ['limit', 'remaining', 'reset']
  return {
    units,
    openai: parts.map((part) => `x-ratelimit-${part}-${name}`),
    anthropic: parts.map((part) => `anthropic-ratelimit-${name}-${part}`),
  }
}

/** Name, value, name, value. */
export function limitHeaders(windows: readonly OpenWindow[], style: HeaderStyle, now: number): string[] {
  const reported = windows.filter(isTold).map((one) => remainingOf(one, now))
  if (reported.length === 0) return []
  const listed = smallestParts(reported)
  return [
    ...leastRemaining(reported, REQUESTS, style, now),
    ...leastRemaining(reported, TOKENS, style, now),
    ...['ratelimit-policy', listed.map(policyOf).join(', ')],
    ...['ratelimit', listed.map(stateOf).join(', ')],
  ]
}

/** Clients and proxies refuse long headers, so of many limits only those with the smallest part left are listed. */
function smallestParts(reported: readonly Remaining[]): readonly Remaining[] {
  if (reported.length <= MAX_LISTED) return reported
  const part = ({ remaining, window: { cap } }: Remaining) => remaining / Math.max(1, cap)
  return reported.toSorted((one, other) => part(one) - part(other)).slice(0, MAX_LISTED)
}

function isTold({ limit }: OpenWindow): boolean {
  return limit.unit !== 'usd' && limit.mode === 'enforce'
}

/** What is left as far as this process knows: others may have used some of it since it asked. */
function remainingAmount({ cap, share }: OpenWindow): number {
  const { spent, leased } = share.sums ?? { spent: 0, leased: 0 }
  return Math.max(0, Math.min(cap, cap - spent - leased + share.free))
}

function remainingOf(window: OpenWindow, now: number): Remaining {
  const { cap, end, rate } = window
  if (rate) return { window, remaining: rate.remainingOf(cap), resetMs: rate.resetMs(cap) }
  return {
    window,
    remaining: remainingAmount(window),
    resetMs: Number.isFinite(end) ? Math.max(0, end - now) : (window.limit.idleMs ?? 0),
  }
}

function leastRemaining(reported: readonly Remaining[], told: Told, style: HeaderStyle, now: number): string[] {
  let first: Remaining | undefined
  for (const one of reported)
    if (told.units.includes(one.window.limit.unit) && (!first || one.remaining < first.remaining)) first = one
  if (!first) return NONE
  const { window, remaining: amount, resetMs } = first
  const [limit, remaining, reset] = told[style]
  const resetText = style === 'openai' ? durationText(resetMs) : timeText(now + resetMs)
  return [limit!, String(window.cap), remaining!, String(amount), reset!, resetText]
}

const NONE: string[] = []

/** As OpenAI writes it: `12ms`, `1s`, `6m0s`. */
function durationText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / SECOND_MS)
  const [hours, minutes] = [Math.floor(seconds / HOUR_SECONDS), Math.floor(seconds / MINUTE_SECONDS) % MINUTE_SECONDS]
  const rest = `${seconds % MINUTE_SECONDS}s`
  if (hours > 0) return `${hours}h${minutes}m${rest}`
  return minutes > 0 ? `${minutes}m${rest}` : rest
}

function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`
}

/** Every answer has it, and it changes only with the limit. */
const policies = new WeakMap<Limit, { cap: number; text: string }>()

function policyOf({ window: { limit, cap } }: Remaining): string {
  const written = policies.get(limit)
  if (written?.cap === cap) return written.text
  const text = `"${limit.id}";q=${cap}${secondsOf(limit)}${unitOf(limit)}`
  policies.set(limit, { cap, text })
  return text
}

function stateOf({ window, remaining, resetMs }: Remaining): string {
  const time = window.limit.unit === 'concurrent' ? '' : `;t=${Math.ceil(resetMs / SECOND_MS)}`
  return `"${window.limit.id}";r=${remaining}${time}`
}

const LONG_SECONDS = { day: DAY_SECONDS, week: 7 * DAY_SECONDS, month: 30 * DAY_SECONDS }

function secondsOf({ window, unit, idleMs }: Limit): string {
  if (idleMs !== null) return `;w=${idleMs / SECOND_MS}`
  if (unit === 'concurrent' || window === 'total') return ''
  const short = LENGTH_MS[window]
  return `;w=${short ? short / SECOND_MS : LONG_SECONDS[window as keyof typeof LONG_SECONDS]}`
}

/** Requests are the default. The draft has no unit for tokens, so that is ours. */
function unitOf({ unit }: Limit): string {
  if (unit === 'requests') return ''
  return unit === 'concurrent' ? ';qu="concurrent-requests"' : ';qu="tokens"'
}
