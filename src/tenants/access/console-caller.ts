import type { PreviewKeyRequest } from '../../contract/admin/keys.ts'
import { ownerIn, projectOwner } from '../../platform/store/owner.ts'
import { findProject } from '../../platform/store/projects/projects.ts'
import type { Caller } from './caller.ts'
import { previewKeyAs } from './manage-keys.ts'

type Services = Parameters<typeof previewKeyAs>[1]
type Draft = Pick<PreviewKeyRequest, 'project' | 'kind'>

/**
 * A person who may create a key in a project may call models there without one: with everything that the project allows, and
 * from its budgets. A session is no key, so each person is a separate caller, and does not see the files of other people
 * where keys do not share them.
 */
export async function consoleCaller(draft: Draft, services: Services): Promise<Caller> {
  const caller = await previewKeyAs(draft, services)
  const { kind, id } = services.actor
  const user = kind === 'user' || kind === 'service' ? id : null
  const keyId = user === null ? 'console' : `console-${user}`
  const stored = await findProject(services.db, caller.project)
  const apart = () => (user === null ? ownerIn(caller, 'operator', kind) : ownerIn(caller, 'person', user))
  const owner = stored?.share === 'project' ? projectOwner(caller) : apart()
  return { ...caller, ...owner, user, keyId, keyName: 'console' }
}
