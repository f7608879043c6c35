import type { Limit, LimitKind } from '../../platform/config/spend-limits/limit.ts'
import { fromAmount } from '../../platform/config/spend-limits/limit-entry.ts'
import type { Catalog } from '../../platform/catalog/catalog.ts'
import type { SimulateLimitRequest, Simulation } from '../../contract/admin/simulation.ts'
import { problem } from '../../contract/problems.ts'
import type { Actor } from '../../tenants/people/actor.ts'
import { reachIn } from '../../tenants/people/may.ts'
import { notYours } from '../../tenants/people/people-services.ts'
import type { Database } from '../../platform/store/database.ts'
import { completeFrom } from '../../platform/store/ledger/expire-lines.ts'
import type { LineFilter } from '../../platform/store/ledger/line-filter.ts'
import { linesInOrder } from '../../platform/store/ledger/lines-in-order.ts'
import { isNamed, namesOf } from '../../platform/store/ledger/names.ts'
import { entryWith } from './limit-body.ts'
import { checkedLimit } from './checked-limit.ts'
import { isInOneScope, visibleLimits } from './limit-rights.ts'
import { Replay } from './replay.ts'
import { SimulationReport } from './simulation-report.ts'
import { DAY_MS } from '../../base/units/units.ts'

type SimulationServices = {
  db: Database
  now(): number
  catalog: Pick<Catalog, 'find'>
  actor: Actor
  /** How many lines are replayed at most. */
  maxLines?: number | undefined
}

const DEFAULT_DAYS = 30
/** An operator waits for the answer: this many lines take some seconds. */
const MAX_LINES = 2_000_000
/** A replay reads the whole ledger, so few run at the same time. */
const MAX_RUNNING = 2
let running = 0

/** Replays the ledger against a limit that is only planned. Nothing is changed. */
export async function simulateLimit(
  kind: LimitKind,
  { days = DEFAULT_DAYS, ...body }: SimulateLimitRequest,
  services: SimulationServices,
): Promise<Simulation> {
  const limit = checkedLimit({ ...entryWith(body), id: body.id ?? 'planned' }, kind)
  if (limit.unit === 'concurrent') throw problem('validation_error', { message: NOT_CONCURRENT, param: 'unit' })
  // Who may see such a limit may see what it would count, as far as their role reaches.
  if ((await visibleLimits([limit], services)).length === 0) throw notYours(NOT_VISIBLE)
  if (running >= MAX_RUNNING) throw problem('overloaded', { retryAfterSeconds: 5 })
  running++
  try {
    return await replayLedger(limit, days, services)
  } finally {
    running--
  }
}

const NOT_CONCURRENT =
  'unit: calls at the same time cannot be replayed, because the ledger does not say when they overlapped'
const NOT_VISIBLE = 'Your role only allows you to simulate limits of your projects and of their keys.'

async function replayLedger(limit: Limit, days: number, services: SimulationServices): Promise<Simulation> {
  const { db, now, catalog, actor, maxLines = MAX_LINES } = services
  const reach = await reachIn(actor, 'limits.read', db)
  const to = now()
  const from = to - days * DAY_MS
  const replay = new Replay(limit, (model) => outputPriceOf(model, catalog))
  const report = new SimulationReport(limit)
  let lines = 0
  for await (const page of linesInOrder(db, { from, to }, { ...filterOf(limit), reach })) {
    for (const line of page) {
      const replayed = replay.next(line)
      if (replayed) report.add(line, replayed)
    }
    lines += page.length
    if (lines >= maxLines) break
  }
  const isRead = lines < maxLines && replay.skipped === 0 && !report.isCut && (await completeFrom(db)) <= from
  const isWhole = isRead && (reach === undefined || isInOneScope(limit))
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    is_complete: isWhole,
    ...report.body,
    peak: peakOf(replay, limit),
    top: await named(report.top, limit, db),
  }
}

/** The part of the filters that the store can apply. The replay applies all of them. */
function filterOf({ appliesTo: { holder, id } }: Limit): LineFilter {
  if (id === null) return {}
  return holder === 'end_user' ? { endUser: id } : { [holder]: id }
}

function outputPriceOf(model: string, catalog: Pick<Catalog, 'find'>): number | null {
  const slash = model.indexOf('/')
  return catalog.find(model.slice(0, slash), model.slice(slash + 1))?.price?.output ?? null
}

function peakOf({ peak }: Replay, { unit, window }: Limit): Simulation['peak'] {
  if (!peak) return null
  const window_start = window === 'total' ? null : new Date(peak.windowStart).toISOString()
  return { wanted: fromAmount(peak.demand, unit), bucket: peak.bucket, window_start }
}

async function named(top: SimulationReport['top'], { per }: Limit, db: Database): Promise<Simulation['top']> {
  const dimension = per ?? 'key'
  const names = isNamed(dimension)
    ? await namesOf(
        db,
        dimension,
        top.map(({ id }) => id),
      )
    : new Map<string, string>()
  return top.map(({ id, ...counts }) => ({ id, name: names.get(id) ?? null, ...counts }))
}
