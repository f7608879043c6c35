import { closed, mapOf } from '../../../base/schema/fields.ts'
import { labelOf, withoutControls } from '../../../base/schema/label.ts'
import { IDLE_WINDOW } from '../../../base/schema/patterns.ts'
import Type, { type Static } from '../../../base/schema/type.ts'
import {
  HOLDERS,
  type Holder,
  idleMsOf,
  isIdleWindow,
  isRate,
  type Limit,
  type LimitKind,
  NANOS_PER_DOLLAR,
  PER,
  UNITS,
  WINDOWS,
  type Window,
} from './limit.ts'

// A limit as operators write it, in the config file and, with other spellings of the names, in the admin API.

const MAX_ID_CHARS = 100
const MAX_NAME_CHARS = 200
const MAX_LIST = 100
const MAX_ALERTS = 10
/** Sums stay exact integers. */
const MAX_USD = 1_000_000
const MAX_COUNT = 1_000_000_000_000
/** Far above every real price. A whole context at this price is still an exact number of billionths. */
const MAX_ASSUMED_PRICE = 10_000
const text = Type.String({ minLength: 1, maxLength: 256 })
/** Callers may give long ids to their end users. */
const MAX_HOLDER_CHARS = 1_000
const price = Type.Number({ minimum: 0, maximum: MAX_ASSUMED_PRICE })
const list = Type.Optional(Type.Array(text, { minItems: 1, maxItems: MAX_LIST }))

const MAX_SESSIONS = 10_000
const DEFAULT_SESSIONS = 100

export const LimitEntry = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: MAX_ID_CHARS }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME_CHARS })),
    appliesTo: Type.String({ minLength: 1, maxLength: MAX_HOLDER_CHARS }),
    per: Type.Optional(Type.Enum([...PER])),
    unit: Type.Optional(Type.Enum([...UNITS])),
    limit: Type.Number({ minimum: 0, maximum: MAX_COUNT }),
    window: Type.Optional(Type.Union([Type.Enum([...WINDOWS]), Type.String({ pattern: IDLE_WINDOW })])),
    maxSessions: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SESSIONS })),
    timezone: Type.Optional(text),
    models: list,
    providers: list,
    endpoints: list,
    tags: Type.Optional(mapOf(text)),
    mode: Type.Optional(Type.Enum(['enforce', 'shadow'])),
    onExceeded: Type.Optional(Type.Enum(['clamp', 'refuse'])),
    assume: Type.Optional(Type.Object({ input: price, output: price }, closed)),
    increase: Type.Optional(
      Type.Object({ amount: Type.Number({ minimum: 0, maximum: MAX_COUNT }), until: text }, closed),
    ),
    alerts: Type.Optional(Type.Array(Type.Number(), { minItems: 1, maxItems: MAX_ALERTS })),
  },
  closed,
)
export type LimitEntry = Static<typeof LimitEntry>

/** What is wrong with an entry, and the member that it is about. */
export type LimitFault = { member: keyof LimitEntry; msg: string }

/** The limit that an entry describes, or everything that is wrong with it. */
export function limitOf(entry: LimitEntry, kind: LimitKind, ownedBy: Limit['ownedBy']): Limit | LimitFault[] {
  const faults = faultsOf(entry, kind)
  if (faults.length > 0) return faults
  const unit = unitOf(entry, kind)
  const { id, name = null, per = null, timezone = 'UTC', assume = null, mode = 'enforce' } = entry
  const window = windowOf(entry)
  const idleMs = idleMsOf(window)
  const { models = null, providers = null, endpoints = null, tags = null, increase } = entry
  return {
    id,
    name,
    kind,
    ownedBy,
    appliesTo: holderOf(entry.appliesTo)!,
    per,
    unit,
    window,
    timezone,
    idleMs,
    maxSessions: idleMs === null ? null : (entry.maxSessions ?? DEFAULT_SESSIONS),
    amount: toAmount(entry.limit, unit),
    models,
    providers,
    endpoints,
    tags: tags && asInCalls(tags),
    mode,
    assume,
    onExceeded: entry.onExceeded ?? (isLowered(unit) && !isFlowing(entry, unit) ? 'clamp' : 'refuse'),
    increase: increase ? { amount: toAmount(increase.amount, unit), until: Date.parse(increase.until) } : null,
    alerts: entry.alerts ? [...new Set(entry.alerts)].sort((one, other) => one - other) : null,
  }
}

/** The entry that describes a limit. */
export function entryOf(limit: Limit): LimitEntry {
  const { appliesTo, unit, per, window, maxSessions, timezone, mode, onExceeded, increase, assume } = limit
  const { models, providers, endpoints, tags, alerts } = limit
  return {
    id: limit.id,
    ...(limit.name !== null && { name: limit.name }),
    appliesTo: appliesTo.id === null ? appliesTo.holder : `${appliesTo.holder}:${appliesTo.id}`,
    ...(per && { per }),
    unit,
    limit: fromAmount(limit.amount, unit),
    window,
    timezone,
    mode,
    onExceeded,
    ...(maxSessions !== null && { maxSessions }),
    ...(models && { models: [...models] }),
    ...(providers && { providers: [...providers] }),
    ...(endpoints && { endpoints: [...endpoints] }),
    ...(tags && { tags: { ...tags } }),
    ...(assume && { assume }),
    ...(increase && {
      increase: { amount: fromAmount(increase.amount, unit), until: new Date(increase.until).toISOString() },
    }),
    ...(alerts && { alerts: [...alerts] }),
  }
}

type Unit = Limit['unit']

export function windowOf({ window = 'total' }: Pick<LimitEntry, 'window'>): Window {
  return isIdleWindow(window) ? window : (WINDOWS.find((one) => one === window) ?? 'total')
}

function unitOf({ unit }: LimitEntry, kind: LimitKind): Unit {
  return unit ?? (kind === 'budget' ? 'usd' : 'requests')
}

function mostOf(unit: Unit): number {
  return unit === 'usd' ? MAX_USD : MAX_COUNT
}

function isLowered(unit: Unit): boolean {
  return unit === 'usd' || unit === 'tokens' || unit === 'output_tokens'
}

export function toAmount(amount: number, unit: Unit): number {
  return unit === 'usd' ? Math.round(amount * NANOS_PER_DOLLAR) : amount
}

export function fromAmount(amount: number, unit: Unit): number {
  return unit === 'usd' ? amount / NANOS_PER_DOLLAR : amount
}

/** Tags as calls have them. */
function asInCalls(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [withoutControls(name), labelOf(value)]))
}

/** `all`, or a holder and its id: `project:research`. An end user is called what calls are labelled with. */
export function holderOf(text: string): Limit['appliesTo'] | undefined {
  if (text === 'all') return { holder: 'all', id: null }
  const colon = text.indexOf(':')
  const [holder, id] = [text.slice(0, colon) as Holder, text.slice(colon + 1)]
  if (colon <= 0 || id === '' || holder === 'all' || !HOLDERS.includes(holder)) return undefined
  return { holder, id: holder === 'end_user' ? labelOf(id) : id }
}

function faultsOf(entry: LimitEntry, kind: LimitKind): LimitFault[] {
  const { limit, window, timezone, increase, assume } = entry
  const unit = unitOf(entry, kind)
  const isCount = unit !== 'usd'
  const most = mostOf(unit)
  const faults: (LimitFault | false | undefined)[] = [
    !ID.test(entry.id) && { member: 'id', msg: 'should be letters, digits, dots, dashes and underscores' },
    !holderOf(entry.appliesTo) && { member: 'appliesTo', msg: `should be all, or ${NAMED_HOLDERS}` },
    isCount === (kind === 'budget') && { member: 'unit', msg: kind === 'budget' ? BUDGET_UNIT : RATE_UNIT },
    isCount && !Number.isInteger(limit) && { member: 'limit', msg: 'should be a whole number' },
    isCount && limit < 1 && { member: 'limit', msg: 'should be at least 1' },
    limit > most && { member: 'limit', msg: `should be at most ${most}` },
    increase && increase.amount > most && { member: 'increase', msg: `amount should be at most ${most}` },
    window === undefined &&
      unit !== 'concurrent' && { member: 'window', msg: `should be one of ${WINDOWS.join(', ')}` },
    ...sessionFaults(entry, unit),
    timezone !== undefined && !isTimezone(timezone) && { member: 'timezone', msg: ZONE },
    increase &&
      Number.isNaN(Date.parse(increase.until)) && { member: 'increase', msg: 'until should be a date and time' },
    assume && unit !== 'usd' && { member: 'assume', msg: 'is for budgets' },
    entry.onExceeded === 'clamp' && !isLowered(unit) && { member: 'onExceeded', msg: 'nothing can be lowered here' },
    entry.alerts?.some((fraction) => !(fraction > 0 && fraction <= 1)) && { member: 'alerts', msg: FRACTIONS },
    isFlowing(entry, unit) && increase && { member: 'increase', msg: 'is for budgets and windows from a day on' },
  ]
  return faults.filter((fault) => typeof fault === 'object')
}

/** Sessions come and go, so what a session may use ends with it; nothing else has such a window. */
function sessionFaults({ per, window, maxSessions, alerts, increase }: LimitEntry, unit: Unit): (LimitFault | false)[] {
  if (per !== 'session')
    return [
      isIdleWindow(window) && { member: 'window', msg: 'idle times are for limits per session' },
      maxSessions !== undefined && { member: 'maxSessions', msg: 'is for limits per session' },
    ]
  return [
    (!isIdleWindow(window) || idleMsOf(window) === null) && { member: 'window', msg: NOT_IDLE },
    unit === 'concurrent' && { member: 'per', msg: 'should not be session for calls at the same time' },
    alerts !== undefined && { member: 'alerts', msg: 'are not sent for single sessions' },
    increase !== undefined && {
      member: 'increase',
      msg: 'is not for single sessions, for which a limit can be lifted',
    },
  ]
}

function isFlowing(entry: LimitEntry, unit: Unit): boolean {
  return isRate({ unit, window: windowOf(entry) })
}

const ID = /^[A-Za-z0-9][\w.-]*$/
const NAMED_HOLDERS = HOLDERS.slice(1)
  .map((holder) => `${holder}:<id>`)
  .join(', ')
const BUDGET_UNIT = 'should be usd; other units are for rate limits'
const RATE_UNIT = 'should not be usd; money is for budgets'
const NOT_IDLE = 'should be idle: and a time of up to 7 days, such as idle:30m or idle:2h'
const FRACTIONS = 'should be fractions of the limit, above 0 and up to 1'
const ZONE = 'should be the name of a time zone, such as Europe/Paris'

/** Whether the runtime knows a time zone of this name. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}
