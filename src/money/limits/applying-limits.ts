import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import type { LimitBody } from '../../contract/admin/limits.ts'
import type { Database } from '../../platform/store/database.ts'
import { findHolderScopes } from '../../platform/store/limits/holder-scopes.ts'
import { findCallScopes } from '../../platform/store/limits/call-scopes.ts'
import { findStoredLimits } from '../../platform/store/limits/stored-limits.ts'
import { bodyOfLimit, sums } from './limit-body.ts'
import { statesOf } from './limit-states.ts'
import type { LimitedCaller } from './match-limits.ts'
import type { SpendLimits } from './spend-limits.ts'

// What limits a key, a person or a project: the limits that their calls are counted against, whether or not the asker may see
// the lists that these limits are in. A list that rights have shortened cannot say that nothing limits a call.

type Services = { db: Database; now(): number; spendLimits: Pick<SpendLimits, 'limitsOfCaller'> }

/** With what is spent in the part of the key. */
export function limitsOfKey(caller: LimitedCaller, services: Services): Promise<LimitBody[]> {
  const bucketIn = ({ per }: Limit) => (per === 'key' ? caller.keyId : per === 'user' ? (caller.user ?? '') : undefined)
  return describe(services.spendLimits.limitsOfCaller(caller), bucketIn, services)
}

export async function limitsOfProject(project: string, services: Services): Promise<LimitBody[]> {
  const [scope] = await findHolderScopes(services.db, 'project', [project])
  if (!scope) return []
  const caller = { organization: scope.organization, project, user: null, keyId: '' }
  return await describe(services.spendLimits.limitsOfCaller(caller), () => undefined, services)
}

/** In all organizations and projects in which the person has a role or a key; with what is spent in the part of the person. */
export async function limitsOfPerson(user: string, services: Services): Promise<LimitBody[]> {
  const scopes = await findCallScopes(services.db, user)
  const callers = scopes.map(({ organization, project }) => ({ organization, project, user, keyId: '' }))
  const limits = new Set(callers.flatMap((caller) => services.spendLimits.limitsOfCaller(caller)))
  return await describe([...limits], ({ per }) => (per === 'user' ? user : undefined), services)
}

/** `bucketIn`: whose part of a limit is shown, if it is counted apart. */
async function describe(
  limits: readonly Limit[],
  bucketIn: (limit: Limit) => string | undefined,
  { db, now }: Services,
): Promise<LimitBody[]> {
  const states = await statesOf(db, limits, now())
  const ofApi = limits.flatMap(({ id, ownedBy }) => (ownedBy === 'api' ? [id] : []))
  const rows = new Map((await findStoredLimits(db, ofApi)).map((row) => [row.id, row]))
  return limits.map((limit) => {
    const state = states.get(limit.id)!
    const body = bodyOfLimit(limit, state, rows.get(limit.id))
    return { ...body, ...sums(limit, state, bucketIn(limit)), buckets: [] }
  })
}
