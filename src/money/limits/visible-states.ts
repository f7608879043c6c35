import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import type { Actor } from '../../tenants/people/actor.ts'
import type { Database } from '../../platform/store/database.ts'
import { isInOneScope, seesEverybody } from './limit-rights.ts'
import { type LimitState, statesOf } from './limit-states.ts'

type Seeing = { db: Database; actor: Actor; now(): number }

/** The states of limits. Of one that counts calls which the actor may not see, it has the sums, and not whose calls they are. */
export async function visibleStates(limits: readonly Limit[], seeing: Seeing): Promise<Map<string, LimitState>> {
  const states = await statesOf(seeing.db, limits, seeing.now())
  const wide = limits.filter((limit) => limit.per !== null && !isInOneScope(limit))
  if (wide.length === 0 || (await seesEverybody(seeing))) return states
  for (const { id } of wide) states.set(id, { ...states.get(id)!, hidesBuckets: true })
  return states
}
