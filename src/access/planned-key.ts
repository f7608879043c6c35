import type { KeyAccessRequest } from '../contract/admin/key-access.ts'
import type { Actor } from '../people/actor.ts'
import { may } from '../people/may.ts'
import { notYours } from '../people/people-context.ts'
import type { Region } from '../providers/provider.ts'
import type { Database } from '../store/database.ts'
import { findProject, listProjects, PERSONAL, type StoredProject } from '../store/projects/projects.ts'
import { type Caller, checkScopes } from './caller.ts'
import { checkPolicy } from './check-policy.ts'
import { checkProject } from './key-place.ts'
import type { KeyContext } from './keys.ts'
import { toCaller } from './known-key.ts'
import { withoutNulls } from './policy.ts'

/** Stands for the key that does not exist yet. */
const PLANNED = 'planned'
const MAX_PROJECTS = 200

type Context = Pick<KeyContext, 'config'> & { db: Database; actor: Actor }

/** The caller that a key would be, for those who could create it. */
export async function plannedCaller(request: KeyAccessRequest, { db, config, actor }: Context): Promise<Caller> {
  const { project, scopes, policy, region, kind, user } = request
  const id = project ?? PERSONAL
  if (!may(actor, 'keys.write', { project: id, user: user ?? actor.id })) throw notYours()
  if (scopes) checkScopes(scopes)
  if (policy) checkPolicy(policy)
  await checkProject(id, db)
  const own = { scopes, policy, region: region ?? config.region, kind, user }
  return callerIn((await findProject(db, id))!, own)
}

/** For each project, a caller with everything that the project allows. */
export async function projectCallers({ db, config }: Pick<Context, 'db' | 'config'>): Promise<Caller[]> {
  const { items } = await listProjects(db, { limit: MAX_PROJECTS })
  return items.map((project) => callerIn(project, { region: config.region }))
}

type Settings = Pick<KeyAccessRequest, 'scopes' | 'policy' | 'kind' | 'user'> & { region: Region }

function callerIn(project: StoredProject, { scopes, policy, region, kind, user }: Settings): Caller {
  return toCaller({
    ...{ id: PLANNED, digest: '', name: PLANNED, kind: kind ?? 'live', owner: project.id, region },
    ...{ scopes: scopes ?? null, allowedIps: null, last4: '', createdAt: 0, expiresAt: null, revokedAt: null },
    ...{ lastUsedAt: null, updatedAt: 0, formerSecrets: [], project: project.id, user: user ?? null },
    policy: policy ? withoutNulls(policy) : null,
    ...{ organization: project.organization, projectRegion: project.region, projectPolicy: project.policy },
  })
}
