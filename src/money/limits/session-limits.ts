import type { SessionLimit } from '../../contract/admin/agent-sessions.ts'
import { fromAmount } from '../../platform/config/spend-limits/limit-entry.ts'
import type { Database } from '../../platform/store/database.ts'
import { statesOf } from './limit-states.ts'
import { sessionBucket } from './match-limits.ts'
import type { SpendLimits } from './spend-limits.ts'

type Services = { db: Database; now(): number; spendLimits: Pick<SpendLimits, 'all'> }

/** The limits per session that count this session now, with what it has used of them. */
export async function limitsOfSession(
  { key, session }: { key: string; session: string },
  { db, now, spendLimits }: Services,
): Promise<SessionLimit[]> {
  const limits = spendLimits.all.filter(({ per }) => per === 'session')
  const states = await statesOf(db, limits, now())
  const bucket = sessionBucket(key, session)
  return limits.flatMap(({ id, unit }) => {
    const { cap, buckets } = states.get(id)!
    const own = buckets.find((one) => one.bucket === bucket)
    if (own?.idleAt === undefined) return []
    const { spent, reserved, idleAt } = own
    return {
      limit_id: id,
      unit,
      limit: fromAmount(cap, unit),
      spent: fromAmount(spent, unit),
      reserved: fromAmount(reserved, unit),
      left: fromAmount(Math.max(0, cap - spent - reserved), unit),
      idle_at: new Date(idleAt).toISOString(),
    }
  })
}
