import type { Rates } from '../../catalog/catalog.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../base/units/units.ts'

// A limit is a budget (money) or a rate limit (requests, tokens, calls at once). Both are one type, because calls are checked
// against all of them in one step.

export const HOLDERS = ['all', 'organization', 'project', 'user', 'key', 'end_user'] as const
export type Holder = (typeof HOLDERS)[number]

export const PER = ['key', 'user', 'end_user', 'session'] as const
export type Per = (typeof PER)[number]

export const UNITS = ['usd', 'requests', 'tokens', 'input_tokens', 'output_tokens', 'concurrent'] as const
export type Unit = (typeof UNITS)[number]

export const WINDOWS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'total'] as const
/** A window that ends when nothing was used for a while: `idle:30m`. */
type IdleWindow = `idle:${string}`
export type Window = (typeof WINDOWS)[number] | IdleWindow

const IDLE = /^idle:([1-9]\d{0,3})([mhd])$/
const IDLE_UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }
/** As long as a session of an agent is of interest. */
const MAX_IDLE_MS = 7 * DAY_MS

export function isIdleWindow(window: string | undefined): window is IdleWindow {
  return window?.startsWith('idle:') ?? false
}

/** For how long nothing may be used in a window that ends by that; null for other windows, and for times that are too long. */
export function idleMsOf(window: Window): number | null {
  const [, count, unit] = IDLE.exec(window) ?? []
  const ms = unit === undefined ? 0 : Number(count) * IDLE_UNITS[unit]!
  return ms > 0 && ms <= MAX_IDLE_MS ? ms : null
}

/** Which list of the config file and which path of the admin API a limit belongs to. */
export type LimitKind = 'budget' | 'rate_limit'

export type Limit = {
  id: string
  /** What people call it; null if it has only its id. */
  name: string | null
  kind: LimitKind
  ownedBy: 'file' | 'api'
  appliesTo: { holder: Holder; id: string | null }
  /** Whose calls are counted apart; null if all calls share the amount. */
  per: Per | null
  unit: Unit
  /** Whole billionths of a dollar, or a count. */
  amount: number
  window: Window
  /** Of a limit per session: it ends when the session was not used for this long. */
  idleMs: number | null
  /** Of a limit per session: how many sessions of a key are counted apart at the same time. */
  maxSessions: number | null
  timezone: string
  /** Restrictions: patterns of model names, providers, endpoints and tags. Null if there is none. */
  models: readonly string[] | null
  providers: readonly string[] | null
  endpoints: readonly string[] | null
  tags: Readonly<Record<string, string>> | null
  /** A shadow limit counts and reports, and refuses nothing. */
  mode: 'enforce' | 'shadow'
  onExceeded: 'clamp' | 'refuse'
  /** The price of models whose price is not known, per million tokens. Null refuses them. */
  assume: Pick<Rates, 'input' | 'output'> | null
  /** Added to the amount until a moment. */
  increase: { amount: number; until: number } | null
  /** Fractions of the amount, ascending: an alert is sent when one is reached. Null sends none. */
  alerts: readonly number[] | null
}

/** The amount at this moment. */
export function amountAt({ amount, increase }: Pick<Limit, 'amount' | 'increase'>, now: number): number {
  return increase && now < increase.until ? amount + increase.amount : amount
}

/** Counts in short windows slide. Money and long windows follow the calendar: a rate limit per day is not a rate. */
export function isRate({ unit, window }: Pick<Limit, 'unit' | 'window'>): boolean {
  return unit !== 'usd' && unit !== 'concurrent' && (window === 'second' || window === 'minute' || window === 'hour')
}

/** Whether ledger lines are charged to windows of this limit. Rates slide, and slots are in use or free: they have no windows. */
export function hasWindows(limit: Pick<Limit, 'unit' | 'window'>): boolean {
  return limit.unit !== 'concurrent' && !isRate(limit)
}

export const NANOS_PER_DOLLAR = 1_000_000_000
