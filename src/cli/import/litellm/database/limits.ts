import type { LimitKind, Per, Unit, Window } from '../../../../platform/config/spend-limits/limit.ts'
import { type LimitEntry, limitOf } from '../../../../platform/config/spend-limits/limit-entry.ts'
import { type Fields, isRecord, recordOf, recordsIn } from '../../../../base/schema/record.ts'
import { numberOf } from '../values.ts'
import { windowOf } from './durations.ts'
import { shortHash } from './source-ids.ts'
import { limitIn, momentOf } from './values.ts'

/** `spent`: what the open window has spent at the source, by bucket, in USD. */
export type ImportedLimit = { kind: LimitKind; entry: LimitEntry; spent: Readonly<Record<string, number>> }

/** Whom limits are for. `source` identifies it there. */
export type LimitHolder = {
  appliesTo: string
  kind: string
  source: string
  per?: Per
  /** By bucket, where the row of the limits does not say it. */
  spent?: Readonly<Record<string, number>>
  /** Of one among several limits: the end of its id, and the models that it is about. */
  suffix?: string
  models?: readonly string[]
}

/** Why a limit differs from that of the source, or is left out. */
export type LimitRemark = 'other window' | 'unknown model' | 'not possible'

export type LimitContext = {
  now: number
  timezone: string
  /** The models that a name of the source stands for, as `provider/model`. */
  modelsOf(name: string): readonly string[] | undefined
  remark(about: LimitRemark): void
}

/** The limits in the columns of a key, a team, a user, an organization, an end user or a shared budget. */
export function limitsOf(row: Fields, holder: LimitHolder, context: LimitContext): ImportedLimit[] {
  const further = recordsIn(row.budget_limits)
  return [
    ...budgetIn(row, holder, context),
    ...further.flatMap((one, index) => budgetIn(one, { ...holder, suffix: `-${index + 2}`, spent: {} }, context)),
    ...ratesIn(row, holder, context),
    ...Object.entries(modelRows(row)).flatMap(([model, fields]) => modelLimits(model, fields, holder, context)),
  ]
}

/** A block becomes a budget of zero. */
export function blockOf(holder: LimitHolder, context: LimitContext): ImportedLimit[] {
  return made(holder, { name: 'blocked', unit: 'usd', limit: 0, window: 'total' }, context)
}

/**
 * An unknown price is 0 in LiteLLM. It stays so, because callers would be refused otherwise; operators can remove `assume`.
 * What was spent in a window that is over counts no more.
 */
function budgetIn(budget: Fields, holder: LimitHolder, context: LimitContext): ImportedLimit[] {
  const max = limitIn(budget.max_budget)
  if (max === undefined) return []
  const { window, factor } = windowOf(budget.budget_duration)
  if (factor !== 1) context.remark('other window')
  const spent = Object.entries(holder.spent ?? { '': spentIn(budget, context.now) })
  const more = { assume: { input: 0, output: 0 }, ...increaseIn(budget, context.now), ...alertsIn(budget, max) }
  return made(holder, { name: 'budget', unit: 'usd', limit: max * factor, window, ...more }, context).map((one) => {
    return { ...one, spent: Object.fromEntries(spent.map(([bucket, usd]) => [bucket, usd * factor])) }
  })
}

export function spentIn({ spend, budget_reset_at: resetAt }: Fields, now: number): number {
  const ends = momentOf(resetAt)
  return ends !== null && ends <= now ? 0 : Math.max(0, numberOf(spend) ?? 0)
}

/** LiteLLM says once when a soft budget is spent, and goes on. */
function alertsIn({ soft_budget: soft }: Fields, max: number): Pick<LimitEntry, 'alerts'> {
  const fraction = Math.round(((limitIn(soft) ?? 0) / max) * 100) / 100
  return fraction > 0 && fraction <= 1 ? { alerts: [fraction] } : {}
}

/** A temporary increase is in the shared budget, or in the metadata of a key. */
function increaseIn({ metadata, ...own }: Fields, now: number): Pick<LimitEntry, 'increase'> {
  const source = limitIn(own.temp_budget_increase) ? own : recordOf(metadata)
  const [amount, until] = [limitIn(source.temp_budget_increase), momentOf(source.temp_budget_expiry)]
  if (amount === undefined || until === null || until <= now) return {}
  return { increase: { amount, until: new Date(until).toISOString() } }
}

const RATES: readonly [column: string, name: string, unit: Unit, window?: Window][] = [
  ['rpm_limit', 'rpm', 'requests', 'minute'],
  ['tpm_limit', 'tpm', 'tokens', 'minute'],
  ['tpd_limit', 'tpd', 'tokens', 'day'],
  ['max_parallel_requests', 'parallel', 'concurrent'],
]

function ratesIn(row: Fields, holder: LimitHolder, context: LimitContext): ImportedLimit[] {
  return RATES.flatMap(([column, name, unit, window]) => {
    const limit = limitIn(row[column])
    if (limit === undefined) return []
    return made(holder, { name, unit, limit: Math.max(1, Math.floor(limit)), ...(window && { window }) }, context)
  })
}

/** Limits by model: budgets in a column of their own, rates also in the metadata. */
function modelRows({ model_max_budget: budgets, metadata }: Fields): Record<string, Fields> {
  const { model_rpm_limit: requests, model_tpm_limit: tokens } = recordOf(metadata)
  const rows: Record<string, Fields> = {}
  const add = (values: unknown, fieldsOf: (value: unknown) => Fields) => {
    for (const [model, value] of Object.entries(recordOf(values))) rows[model] = { ...rows[model], ...fieldsOf(value) }
  }
  add(budgets, modelBudget)
  add(requests, (limit) => ({ rpm_limit: limit }))
  add(tokens, (limit) => ({ tpm_limit: limit }))
  return rows
}

function modelBudget(value: unknown): Fields {
  if (!isRecord(value)) return { max_budget: value }
  const { budget_limit: limit, time_period: period, ...fields } = value
  return { max_budget: limit, budget_duration: period, ...fields }
}

/** What was spent for one model is in no table, so its window begins with 0. */
function modelLimits(model: string, fields: Fields, holder: LimitHolder, context: LimitContext): ImportedLimit[] {
  const models = context.modelsOf(model)
  if (!models) {
    context.remark('unknown model')
    return []
  }
  const one = { ...holder, suffix: `-${shortHash('model', model).slice(0, 6)}`, models, spent: {} }
  return [...budgetIn(fields, one, context), ...ratesIn(fields, one, context)]
}

type Settings = Omit<LimitEntry, 'id' | 'appliesTo'> & { name: string }

function made(holder: LimitHolder, { name, ...settings }: Settings, context: LimitContext): ImportedLimit[] {
  const { appliesTo, kind: of, source, per, suffix = '', models } = holder
  const { timezone } = context
  const entry: LimitEntry = {
    id: `litellm-${of}-${shortHash(of, source)}-${name}${suffix}`,
    appliesTo,
    ...settings,
    ...(per && { per }),
    ...(models && { models: [...models] }),
    ...(timezone !== 'UTC' && { timezone }),
  }
  const kind: LimitKind = settings.unit === 'usd' ? 'budget' : 'rate_limit'
  if (!Array.isArray(limitOf(entry, kind, 'api'))) return [{ kind, entry, spent: {} }]
  context.remark('not possible')
  return []
}
