import type { Policy } from '../../contract/admin/policy.ts'
import type { PreviewKeyRequest } from '../../contract/admin/keys.ts'
import type { Region } from '../../platform/providers/provider.ts'
import type { Database } from '../../platform/store/database.ts'
import { projectOwner } from '../../platform/store/owner.ts'
import type { Reach } from '../../platform/store/people/reach.ts'
import { findProject, listProjects, PERSONAL, type StoredProject } from '../../platform/store/projects/projects.ts'
import { type Caller, checkScopes } from './caller.ts'
import { checkProject } from './key-assignment.ts'
import { inProject } from './cached-key.ts'
import { withoutNulls } from './policy.ts'

type Services = { db: Database; config: { region: Region } }

/** The caller that a key would be. It is checked like a new key, and nothing is stored. */
export async function callerOfDraft(draft: PreviewKeyRequest, { db, config }: Services): Promise<Caller> {
  const { scopes = null, policy, kind, region } = draft
  if (scopes) checkScopes(scopes)
  const project = draft.project ?? PERSONAL
  if (project !== PERSONAL) await checkProject(project, db)
  const stored = await findProject(db, project)
  const drawn = { scopes, kind: kind ?? 'live', policy: policy ? withoutNulls(policy) : null }
  return callerIn({ ...(stored ?? NOWHERE), id: project }, { ...drawn, region: region ?? config.region })
}

/** For each of the newest projects that the reach has, a caller with everything that the project allows. */
export async function projectCallers({ db, config }: Services, reach: Reach | undefined): Promise<Caller[]> {
  const { items } = await listProjects(db, { limit: MAX_PROJECTS, reach })
  const drawn = { scopes: null, kind: 'live', policy: null, region: config.region } as const
  return items.map((project) => callerIn(project, drawn))
}

const MAX_PROJECTS = 200
const NOWHERE = { organization: 'default', region: null, policy: null }

type ProjectSettings = Pick<StoredProject, 'id' | 'organization' | 'region' | 'policy'>
type Drawn = Pick<Caller, 'scopes' | 'kind' | 'region'> & { policy: Policy | null }

function callerIn(project: ProjectSettings, { scopes, kind, policy, region }: Drawn): Caller {
  const { id, organization } = project
  const effective = inProject(region, project.region as Region | null, { projectPolicy: project.policy, policy })
  return {
    keyId: 'preview',
    keyName: 'preview',
    ...projectOwner({ project: id, organization }),
    user: null,
    kind,
    scopes,
    expiresAt: null,
    allowedIps: null,
    ...effective,
  }
}
