import type { KeyAccessRequest } from '../contract/admin/key-access.ts'
import type { Actor } from '../people/actor.ts'
import { may } from '../people/may.ts'
import { notYours } from '../people/people-context.ts'
import type { Database } from '../store/database.ts'
import { findProject, PERSONAL } from '../store/projects/projects.ts'
import { type Caller, checkScopes } from './caller.ts'
import { checkPolicy } from './check-policy.ts'
import { checkProject } from './key-place.ts'
import type { KeyContext } from './keys.ts'
import { toCaller } from './known-key.ts'
import { withoutNulls } from './policy.ts'

/** Stands for the key that does not exist yet. */
const PLANNED = 'planned'

type Context = Pick<KeyContext, 'config'> & { db: Database; actor: Actor }

/** The caller that a key would be, for those who could create it. */
export async function plannedCaller(request: KeyAccessRequest, { db, config, actor }: Context): Promise<Caller> {
  const { project, scopes, policy, region, kind, user } = request
  const id = project ?? PERSONAL
  if (!may(actor, 'keys.write', { project: id, user: user ?? actor.id })) throw notYours()
  if (scopes) checkScopes(scopes)
  if (policy) checkPolicy(policy)
  await checkProject(id, db)
  const place = (await findProject(db, id))!
  return toCaller({
    ...{ id: PLANNED, digest: '', name: PLANNED, kind: kind ?? 'live', owner: id, region: region ?? config.region },
    ...{ scopes: scopes ?? null, allowedIps: null, last4: '', createdAt: 0, expiresAt: null, revokedAt: null },
    ...{ lastUsedAt: null, updatedAt: 0, formerSecrets: [], project: id, user: user ?? null },
    policy: policy ? withoutNulls(policy) : null,
    ...{ organization: place.organization, projectRegion: place.region, projectPolicy: place.policy },
  })
}
