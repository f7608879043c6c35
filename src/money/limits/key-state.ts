import type { Caller } from '../../tenants/access/caller.ts'
import { fromAmount } from '../../platform/config/spend-limits/limit-entry.ts'
import type { KeyState } from '../../contract/admin/limits.ts'
import type { Database } from '../../platform/store/database.ts'
import { sums } from './limit-body.ts'
import { statesOf } from './limit-states.ts'
import { bucketOf } from './match-limits.ts'
import type { SpendLimits } from './spend-limits.ts'

type Services = { db: Database; now(): number; spendLimits: Pick<SpendLimits, 'limitsOf' | 'shares'> }

/**
 * What a caller may know about its own key: its limits, and what is left of them. Those of some models or providers are among them;
 * those of some endpoints, tags, end users or sessions are not.
 */
export async function keyStateOf(caller: Caller, { db, now, spendLimits }: Services): Promise<KeyState> {
  const call = anyCallOf(caller)
  const limits = spendLimits.limitsOf(call).filter(({ mode, per }) => mode === 'enforce' && per !== 'session')
  for (const limit of limits) await spendLimits.shares.tellRate(limit, bucketOf(limit, call))
  const states = await statesOf(db, limits, now())
  const shown = limits.map((limit) => {
    const state = states.get(limit.id)!
    const { id, unit, window } = limit
    return { id, unit, window, limit: fromAmount(state.cap, unit), ...sums(limit, state, bucketOf(limit, call)) }
  })
  const budgets = shown.filter(({ unit }) => unit === 'usd').sort((one, other) => (one.left ?? 0) - (other.left ?? 0))
  const [tightest] = budgets
  return {
    name: caller.keyName,
    project: caller.project,
    scopes: caller.scopes && [...caller.scopes],
    limit: tightest?.limit ?? null,
    limit_remaining: tightest?.left ?? null,
    usage: tightest?.spent ?? 0,
    limits: shown,
  }
}

/** A call of which only the caller is known. */
function anyCallOf(caller: Caller) {
  return { caller, endpoint: '', labels: { endUser: null, session: null, tags: null } }
}
