import type { Actor } from '../../tenants/people/actor.ts'
import { DEFAULT_ORGANIZATION } from '../../platform/store/people/reach.ts'
import { mayReadContents } from '../../tenants/people/may-read-contents.ts'
import { notYours } from '../../tenants/people/people-services.ts'
import type { Database } from '../../platform/store/database.ts'
import { findProject } from '../../platform/store/projects/projects.ts'

/** `user` is that of the key today; null if the key is not in the store. A message to a receiver of alerts is in no project. */
type Made = { organization: string | null; project: string | null; user: string | null }

/** Where a job or a webhook belongs, and whether the actor may read what it contains. */
export async function accessTo(made: Made, { db, actor }: { db: Database; actor: Actor }) {
  const { organization, project, user } = made
  const stored = project === null ? undefined : await findProject(db, project)
  const scope = { organization: organization ?? DEFAULT_ORGANIZATION, project, user }
  return { scope, mayRead: mayReadContents(actor, scope, stored?.content) }
}

export function contentsNotYours() {
  return notYours('You may not read contents of this project. Its owners and admins can let its managers read them.')
}
