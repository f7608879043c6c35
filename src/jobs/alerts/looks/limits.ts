import { hasWindows, type Limit, type LimitKind } from '../../../platform/config/spend-limits/limit.ts'
import { fromAmount } from '../../../platform/config/spend-limits/limit-entry.ts'
import { type BucketState, type LimitState, statesOf } from '../../../money/limits/limit-states.ts'
import { windowAt } from '../../../money/limits/windows.ts'
import { findLostLeases } from '../../../platform/store/alerts/conditions-seen.ts'
import type { Look, Looking, Observation } from '../observation.ts'
import { namesInLimits, type NamesInLimits } from './names-in-limits.ts'

// Fractions of budgets and rate limits. What is spent counts, and what processes hold and have no rest of, as the store knows it.

export const lookAtBudgets: Look = (looking) => lookAtFractions('budget', looking)
export const lookAtRateLimits: Look = (looking) => lookAtFractions('rate_limit', looking)

/** What is held goes up and down. Only a limit that was reset or raised falls that far within a window. */
const FALLEN = 0.5

type Counted = { limit: Limit; state: LimitState; start: number }

async function lookAtFractions(kind: LimitKind, { db, now, lookedAt, limits }: Looking): Promise<Observation[]> {
  const watched = limits.filter((limit) => limit.kind === kind && limit.alerts)
  if (watched.length === 0) return []
  const counted = [...(await countedAt(now, watched, db)), ...(await endedSince(lookedAt, now, watched, db))]
  const reached = counted.flatMap(({ limit, state, start }) =>
    state.buckets.flatMap((bucket) =>
      limit.alerts!.flatMap((part) => reachedPart({ limit, state, start, bucket, part }) ?? []),
    ),
  )
  const names = await namesInLimits(db, reached)
  return reached.map((one) => observed(one, names))
}

async function countedAt(now: number, limits: readonly Limit[], db: Looking['db']): Promise<Counted[]> {
  const states = await statesOf(db, limits, now)
  return limits.map((limit) => ({ limit, state: states.get(limit.id)!, start: startOf(limit, now) }))
}

/** Windows that have ended since the last look: what was reached in their last moments, or while no process ran. */
async function endedSince(lookedAt: number | undefined, now: number, limits: readonly Limit[], db: Looking['db']) {
  if (lookedAt === undefined) return []
  const ended = limits.filter((limit) => startOf(limit, lookedAt) < startOf(limit, now))
  return ended.length > 0 ? await countedAt(lookedAt, ended, db) : []
}

function startOf(limit: Limit, now: number): number {
  return windowAt(limit, now).start
}

type Reached = Counted & { bucket: BucketState; part: number }

/** Processes hold more than they need as long as there is enough. Before anything is refused, they give it back. */
function usedOf({ spent, reserved, idle }: BucketState): number {
  return spent + reserved - idle
}

/** Whether a fraction is reached, or nearly. */
function reachedPart(one: Reached): (Reached & { level: Observation['level'] }) | undefined {
  const { state, bucket, part } = one
  const used = usedOf(bucket)
  if (state.cap <= 0 || used < part * state.cap * FALLEN) return undefined
  return { ...one, level: used >= part * state.cap ? 'high' : 'between' }
}

function observed(one: ReturnType<typeof reachedPart> & object, names: NamesInLimits): Observation {
  const { limit, state, start, bucket, part, level } = one
  const used = usedOf(bucket)
  const shown = (amount: number) => fromAmount(amount, limit.unit)
  const { whose, project, bucketName } = names(one)
  const of = `${shown(state.cap)} ${limit.unit === 'usd' ? 'USD' : limit.unit.replace('_', ' ')}`
  const what = limit.kind === 'budget' ? 'budget' : 'rate limit'
  return {
    subject: [`${limit.kind}:${limit.id}`, bucket.bucket, start, part].join('|'),
    level,
    value: used / state.cap,
    threshold: part,
    project,
    // Calls are refused from now on.
    ...(limit.kind === 'budget' && part >= 1 && limit.mode === 'enforce' && { severity: 'error' as const }),
    summary: `The ${what} ${limit.id} (${whose === 'all' ? 'all callers' : whose}) has reached ${Math.round(part * 100)}% of ${of}.`,
    details: {
      limit_id: limit.id,
      applies_to: whose,
      window: limit.window,
      unit: limit.unit,
      limit: shown(state.cap),
      spent: shown(bucket.spent),
      reserved: shown(bucket.reserved),
      fraction: part,
      ...(limit.per && { [limit.per]: bucket.bucket, [`${limit.per}_name`]: bucketName }),
      resets_at: state.resetsAt === null ? null : new Date(state.resetsAt).toISOString(),
    },
  }
}

/** Amounts of an open window that processes had leased when they died: they stay taken until an operator releases them. */
export const lookAtLostLeases: Look = async ({ db, now, threshold, limits }) => {
  const limitsById = new Map(limits.filter(hasWindows).map((limit) => [limit.id, limit]))
  const lost = await findLostLeases(db, [...limitsById.keys()])
  return lost.flatMap(({ limit: id, bucket, start, processName, granted }): Observation[] => {
    const limit = limitsById.get(id)!
    if (start !== startOf(limit, now)) return []
    const amount = fromAmount(granted, limit.unit)
    return [
      {
        subject: [`${limit.kind}:${id}`, bucket, start, processName].join('|'),
        level: 'high',
        value: amount,
        threshold,
        summary: `A process died and held ${amount} ${limit.unit} of the limit ${id}, which stay reserved until you release them.`,
        details: { limit_id: id, kind: limit.kind, process: processName, amount, unit: limit.unit },
      },
    ]
  })
}
