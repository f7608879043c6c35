import type { PreviewKeyRequest } from '../contract/keys.ts'
import type { Region } from '../providers/provider.ts'
import type { Database } from '../store/database.ts'
import { findProject, PERSONAL } from '../store/projects/projects.ts'
import { type Caller, checkScopes } from './caller.ts'
import { checkPolicy } from './check-policy.ts'
import { checkProject } from './key-place.ts'
import { inProject } from './known-key.ts'
import { withoutNulls } from './policy.ts'

type Context = { db: Database; config: { region: Region } }

/** The caller that a key would be. It is checked like a new key, and nothing is stored. */
export async function callerOfDraft(draft: PreviewKeyRequest, { db, config }: Context): Promise<Caller> {
  const { scopes = null, policy, kind, region } = draft
  if (scopes) checkScopes(scopes)
  if (policy) checkPolicy(policy)
  const project = draft.project ?? PERSONAL
  if (project !== PERSONAL) await checkProject(project, db)
  const stored = await findProject(db, project)
  const policies = { projectPolicy: stored?.policy ?? null, policy: policy ? withoutNulls(policy) : null }
  const place = inProject(region ?? config.region, (stored?.region as Region | null) ?? null, policies)
  return {
    ...{
      keyId: 'preview',
      keyName: 'preview',
      owner: project,
      project,
      organization: stored?.organization ?? 'default',
    },
    ...{ user: null, kind: kind ?? 'live', scopes, expiresAt: null, allowedIps: null, ...place },
  }
}
