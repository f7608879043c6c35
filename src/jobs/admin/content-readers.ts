import { type Actor, DEFAULT_ORGANIZATION } from '../../people/actor.ts'
import type { Owned } from '../../people/may.ts'
import { mayReadContents } from '../../people/may-read-contents.ts'
import { notYours } from '../../people/people-context.ts'
import type { Database } from '../../store/database.ts'
import { findProject, type StoredProject } from '../../store/projects/projects.ts'

type Made = { project: string | null; owner: string; user: string | null }

/** Where a job or a webhook belongs, and whether somebody may read what it contains. */
export async function accessTo(made: Made, { db, actor }: { db: Database; actor: Actor }) {
  const project = await findProject(db, projectOf(made))
  const place = placeOf(made, project)
  return { place, mayRead: mayReadContents(actor, place, project?.content) }
}

/** A key that is not in the store belongs to the project of its owner. */
function projectOf({ project, owner }: Made): string {
  return project ?? owner
}

function placeOf(made: Made, found: StoredProject | undefined): Owned {
  return { organization: found?.organization ?? DEFAULT_ORGANIZATION, project: projectOf(made), user: made.user }
}

export function contentsNotYours() {
  return notYours('You may not read contents of this project. Its owners and admins can let its managers read them.')
}
