import { type Actor, DEFAULT_ORGANIZATION } from '../../people/actor.ts'
import { mayReadContents } from '../../people/may-read-contents.ts'
import { notYours } from '../../people/people-context.ts'
import type { Database } from '../../store/database.ts'
import { findKey } from '../../store/keys.ts'
import { projectOfOwner } from '../../store/people/content-owners.ts'
import { findProject, type StoredProject } from '../../store/projects/projects.ts'

/** `project` and `user` are those of the key today; null if the job or the key is not in the store. */
type Made = { project: string | null; owner: string; user: string | null }

/** Where a job or a webhook belongs, and whether somebody may read what it contains. */
export async function accessTo(made: Made, { db, actor }: { db: Database; actor: Actor }) {
  const project = await projectOf(made, db)
  const organization = project?.organization ?? DEFAULT_ORGANIZATION
  const place = { organization, project: project?.id ?? made.project ?? made.owner, user: made.user }
  return { place, mayRead: mayReadContents(actor, place, project?.content) }
}

/**
 * The owner says where it was made: the key may have gone to a project of others since. An owner that is no project is a key
 * that shares nothing.
 */
async function projectOf({ project, owner }: Made, db: Database): Promise<StoredProject | undefined> {
  const found = await findProject(db, projectOfOwner(owner))
  if (found) return found
  const id = project ?? (await findKey(db, owner))?.project
  return id === undefined ? undefined : await findProject(db, id)
}

export function contentsNotYours() {
  return notYours('You may not read contents of this project. Its owners and admins can let its managers read them.')
}
