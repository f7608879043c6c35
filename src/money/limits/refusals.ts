import { isRate, type Limit, NANOS_PER_DOLLAR } from '../../platform/config/spend-limits/limit.ts'
import { type Problem, problem } from '../../contract/problems.ts'
import type { OpenWindow } from './reservation.ts'
import type { Refusal } from './share-source.ts'
import type { LimitedTarget } from './match-limits.ts'
import { SECOND_MS } from '../../base/units/units.ts'

// What callers are told. Money is 402, which no client sends again, and never says when to come back; a rate is 429 and does.

type Refused = { window: OpenWindow; refusal: Refusal; needed: number; now: number; suggestion?: string | undefined }

export function exhausted({ window, refusal, needed, now, suggestion = '' }: Refused): Problem {
  const { limit, cap, end } = window
  const members = {
    limit_id: limit.id,
    budget: `${limit.id} · ${limit.window}`,
    limit: shown(limit, cap),
    spent: shown(limit, refusal.spent),
    reserved: shown(limit, refusal.leased),
    needed: shown(limit, needed),
    resets_at: Number.isFinite(end) && !isRate(limit) ? new Date(end).toISOString() : null,
  }
  if (limit.unit === 'usd')
    return problem('budget_exhausted', {
      message: window.session ? sessionSentence(window, refusal, needed) : moneySentence(window, needed, suggestion),
      members,
    })
  const waitMs = waitOf(window, refusal, now)
  const retryAfterSeconds = Math.max(MIN_WAIT_SECONDS, waitMs / SECOND_MS)
  const more = { ...members, violated_policies: [limit.id] }
  const message = window.session ? sessionSentence(window, refusal, needed) : rateSentence(window, waitMs)
  return problem('rate_limit_exceeded', { message, members: more, retryAfterSeconds })
}

/** Agents show it to the person who uses them, so it says what that person can do. */
function sessionSentence(
  { limit, cap, bucket, session }: OpenWindow,
  { spent, leased }: Refusal,
  needed: number,
): string {
  const amount = (count: number) => (limit.unit === 'usd' ? `${dollars(count)} USD` : amountOf(limit, count))
  const whose = bucket === session!.shared ? 'Calls of this key that do not name a session have' : 'This session has'
  const next = `the next call needs up to ${amount(needed)}`
  return (
    `${whose} used ${amount(spent + leased)} of the ${amount(cap)} that the limit '${limit.id}' allows, and ${next}. ` +
    'Start a new session, or ask a manager of this project to reset the limit for this session.'
  )
}

/** `1 request`, `500 output tokens`. */
function amountOf({ unit }: Limit, count: number): string {
  const words = unit.replace('_', ' ')
  return `${count} ${count === 1 ? words.replace(/s$/, '') : words}`
}

const MIN_WAIT_SECONDS = 0.001
/** A call that runs now may end at any moment. */
const SLOT_WAIT_MS = 1_000

/** Milliseconds until it makes sense to try again. */
function waitOf({ limit, end }: OpenWindow, { waitMs }: Refusal, now: number): number {
  if (limit.unit === 'concurrent') return SLOT_WAIT_MS
  if (limit.idleMs !== null) return limit.idleMs
  return waitMs ?? (Number.isFinite(end) ? Math.max(0, end - now) : FOREVER_MS)
}

/** A total never comes back; clients do not wait this long. */
const FOREVER_MS = 365 * 24 * 3_600 * SECOND_MS

function moneySentence({ limit, cap, end }: OpenWindow, needed: number, suggestion: string): string {
  const until = Number.isFinite(end) ? ` A new ${limit.window} begins at ${new Date(end).toISOString()}.` : ''
  return `The budget '${limit.id}' of ${dollars(cap)} USD${per(limit)} cannot pay for this request, which may cost ${dollars(needed)} USD.${suggestion}${until}`
}

function rateSentence({ limit, cap }: OpenWindow, waitMs: number): string {
  const seconds = Math.ceil(waitMs / SECOND_MS)
  if (limit.unit === 'concurrent')
    return `The limit '${limit.id}' allows ${cap} ${cap === 1 ? 'call' : 'calls'} at the same time. Try again soon.`
  return `The limit '${limit.id}' allows ${amountOf(limit, cap)}${per(limit)}. Try again in ${seconds} s.`
}

function per({ window }: Limit): string {
  return window === 'total' ? ' in total' : ` per ${window}`
}

/** The price of a model is unknown, so the gateway cannot tell whether the budget could pay for it. */
export function unpriced({ limit }: OpenWindow, { id, provider }: LimitedTarget): Problem {
  const line = `"prices": { "${id}": { "input": 1, "output": 2 } }`
  const message =
    `The price of '${id}' is not known, and the budget '${limit.id}' pays only for what has a price. The operator of the ` +
    `gateway can add one to the config file, in USD per million tokens: ${line}. Or the budget can assume one: "assume".`
  return problem('budget_unpriced', { message, members: { limit_id: limit.id, model: id, provider: provider.id } })
}

/** Money as text, so that no client rounds it. */
function shown({ unit }: Pick<Limit, 'unit'>, amount: number): string | number {
  return unit === 'usd' ? dollars(amount) : amount
}

const SHOWN = new Intl.NumberFormat('en-US', {
  useGrouping: false,
  minimumFractionDigits: 2,
  maximumFractionDigits: 9,
})

/** At least cents, and no zeros after them. */
function dollars(nanos: number): string {
  return SHOWN.format(nanos / NANOS_PER_DOLLAR)
}
