import { type Problem, problem } from '../../contract/problems.ts'
import type { Region } from '../../platform/providers/provider.ts'
import type { Database } from '../../platform/store/database.ts'
import { findKey } from '../../platform/store/keys/keys.ts'
import { findProject } from '../../platform/store/projects/projects.ts'
import { type Caller, policyAllowsEndpoint } from './caller.ts'
import { inProject, toCaller } from './cached-key.ts'
import { keepsNothing } from './policy.ts'

/**
 * A caller that was written down earlier, with the policies of its key and its project as they are now. A key that is in no
 * store, such as that of the environment or the token of an issuer, has the policy of its project.
 */
export async function withPolicyOfToday(caller: Caller, db: Database): Promise<Caller> {
  const key = await findKey(db, caller.keyId)
  const project = key ? undefined : await findProject(db, caller.project)
  if (!key && !project) return caller
  const ofProject = (key ? key.projectRegion : project!.region) as Region | null
  const policies = { projectPolicy: key ? key.projectPolicy : project!.policy, policy: key?.policy ?? null }
  return { ...caller, ...inProject((key?.region as Region | undefined) ?? caller.region, ofProject, policies) }
}

/**
 * A key by its id, with what it may do now. Undefined if it was revoked, deleted, or has expired. A key that is in no store has no
 * state there.
 */
export async function keyOfToday(
  id: string,
  { db, now }: { db: Database; now(): number },
): Promise<Caller | undefined> {
  const key = await findKey(db, id)
  if (!key || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now())) return undefined
  return toCaller(key)
}

/**
 * A caller that was written down earlier, with what its key may do now. Undefined if the key was revoked or has expired. A caller whose
 * key is in no store has the policy of its project.
 */
export async function callerOfToday(
  caller: Caller,
  { db, now }: { db: Database; now(): number },
): Promise<Caller | undefined> {
  const key = await findKey(db, caller.keyId)
  return key ? await keyOfToday(caller.keyId, { db, now }) : await withPolicyOfToday(caller, db)
}

/** Throws if the policies have changed since the job was accepted, and forbid it now. Models are checked with the targets. */
export function demandStillAllowed(caller: Caller, job: 'chat' | 'universal'): void {
  if (!policyAllowsEndpoint(caller, job)) throw forbidden('endpoints', 'does not allow this endpoint')
  if (keepsNothing(caller.policy)) throw forbidden('data_policy', 'does not allow storing anything')
}

function forbidden(policy: string, why: string): Problem {
  const message = `The policy of this project or key was changed after the job was accepted, and ${why}.`
  return problem('not_allowed', { message, members: { policy } })
}
