import { loadCatalog } from '../../platform/catalog/catalog.ts'
import {
  SimulateBudgetRequest,
  type SimulateLimitRequest,
  SimulateRateLimitRequest,
  type Simulation,
} from '../../contract/admin/simulation.ts'
import { simulateLimit } from '../../money/limits/simulate.ts'
import { validator } from '../../base/schema/validator.ts'
import type { Input } from '../command-line/command-table.ts'
import { flagProblem } from '../flag-problem.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { withLimits } from './with-limits.ts'

type Flags = Input<'budgets simulate'>['values']

/** `gatehouse budgets simulate` replays the ledger against a planned limit, as POST /admin/budgets/simulate does. */
export function simulateCommand({ values }: Input<'budgets simulate'>, terminal: Terminal): Promise<number> {
  const kind = values.unit === undefined || values.unit === 'usd' ? 'budget' : 'rate_limit'
  const body = bodyOf(values)
  const schema = kind === 'budget' ? SimulateBudgetRequest : SimulateRateLimitRequest
  const { check, issues } = validator(schema)
  if (!check(body))
    throw new UsageError(
      issues(body, [])
        .map((issue) => flagProblem(flagOf(issue.loc), issue))
        .join('; '),
    )
  return withLimits(terminal, async (limits) => {
    const { providers, prices, catalogUpdate: update } = limits.config
    const catalog = loadCatalog(providers, { prices, update })
    const services = { ...limits, catalog, maxLines: Number.POSITIVE_INFINITY }
    const simulation = await simulateLimit(kind, body as SimulateLimitRequest, services)
    const unit = values.unit ?? 'usd'
    terminal.print(values.json ? `${JSON.stringify(simulation, null, 2)}\n` : textOf(simulation, unit))
  })
}

/** What the flags ask for, as a body of the admin API. */
function bodyOf(flags: Flags): Record<string, unknown> {
  const { unit, per, window, timezone, limit, days, tag, 'on-exceeded': on_exceeded } = flags
  const body = {
    applies_to: flags['applies-to'] ?? 'all',
    per,
    window,
    timezone,
    on_exceeded,
    models: flags.model,
    providers: flags.provider,
    endpoints: flags.endpoint,
    unit: unit === 'usd' ? undefined : unit,
    limit: numberOf(limit),
    days: numberOf(days),
    tags: tag && Object.fromEntries(tag.map(tagOf)),
  }
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}

function numberOf(text: string | undefined): number | string | undefined {
  return text === undefined || text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
}

function tagOf(text: string): [string, string] {
  const equals = text.indexOf('=')
  if (equals < 1) throw new UsageError(`--tag must be NAME=VALUE, such as team=search, and not ${text}.`)
  return [text.slice(0, equals), text.slice(equals + 1)]
}

/** Flags that can be repeated are named in the singular. */
const FLAGS: Readonly<Record<string, string>> = {
  applies_to: '--applies-to',
  on_exceeded: '--on-exceeded',
  models: '--model',
  providers: '--provider',
  endpoints: '--endpoint',
  tags: '--tag',
}

function flagOf([field]: readonly (string | number)[]): string {
  return FLAGS[String(field)] ?? `--${field}`
}

function textOf(simulation: Simulation, unit: string): string {
  const { requests, clamped, refused, unpriced, used, peak, days, top, from, to, is_complete } = simulation
  const rows = [
    `${from} to ${to}${is_complete ? '' : ' (not all calls of this time could be replayed)'}`,
    `${requests} calls, ${used} ${unit}: ${refused} would have been refused, ${clamped} clamped, ${unpriced} had no price`,
    ...(peak ? [`The fullest window used ${peak.wanted} ${unit} (${peak.window_start ?? 'in total'}).`] : []),
    ...days.map((one) => `${one.day}  ${countsOf(one)}`),
    ...(top.length > 0 ? ['Affected:'] : []),
    ...top.map(({ id, name, ...counts }) => `  ${name ?? id}${name ? ` (${id})` : ''}  ${countsOf(counts)}`),
  ]
  return `${rows.join('\n')}\n`
}

function countsOf({
  requests,
  refused,
  clamped,
  unpriced,
}: Pick<Simulation, 'requests' | 'refused' | 'clamped' | 'unpriced'>) {
  return `${refused} of ${requests} calls refused, ${clamped} clamped, ${unpriced} without a price`
}
