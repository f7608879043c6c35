import { problem } from '../contract/problems.ts'
import type { Statement } from '../store/database.ts'
import { deleteProject } from '../store/projects/delete-project.ts'
import { DEFAULT, PERSONAL } from '../store/projects/projects.ts'
import { hasUnfinishedJobs } from '../store/projects/purge-content.ts'
import { existingProject, type ProjectContext } from './projects.ts'
import { type PurgeContext, type Purged, purge } from './purge.ts'

type Options = { force: boolean; extra?: readonly Statement[] }

/**
 * The keys of the project are refused here at once, and in other processes within two seconds. Its content is removed now, or in
 * the background if there is much of it. Its ledger lines stay, under its name.
 */
export async function removeProject(id: string, options: Options, context: ProjectContext & PurgeContext): Promise<void> {
  const { db, keyCache } = context
  if ([PERSONAL, DEFAULT].includes(id))
    throw problem('conflict', { message: `The project '${id}' cannot be deleted. Revoke its keys instead.` })
  if (!(await deleteProject(db, id, options))) {
    await existingProject(id, db)
    throw unfinished()
  }
  await keyCache.refresh()
  await purge({ project: id }, context)
}

/** Deletes what a project has stored about one of its end users. Nothing else of that person is known to the gateway. */
export async function removeEndUserContent(
  endUser: string,
  { project, force }: { project: string; force: boolean },
  context: PurgeContext,
): Promise<Purged> {
  const { db } = context
  await existingProject(project, db)
  if (!force && (await hasUnfinishedJobs(db, { project, endUser }))) throw unfinished()
  return await purge({ project, endUser }, context)
}

function unfinished() {
  const message = 'There are unfinished jobs. Wait for their end, or give them up with ?force=true.'
  return problem('conflict', { message })
}
