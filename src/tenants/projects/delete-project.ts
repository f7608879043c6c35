import { writeAuditEvents, audited } from '../audit/audited.ts'
import { demand } from '../people/people-services.ts'
import { problem } from '../../contract/problems.ts'
import { labelOf } from '../../base/schema/label.ts'
import { deleteProject } from '../../platform/store/projects/delete-project.ts'
import { DEFAULT, PERSONAL } from '../../platform/store/projects/projects.ts'
import { hasUnfinishedJobs } from '../../platform/store/projects/purge-content.ts'
import { existingProject, projectScope, type ProjectServices, visibleProject } from './projects.ts'
import { type PurgeServices, type Purged, purge } from './purge.ts'

type Options = { force: boolean }

/**
 * The keys of the project are refused here at once, and in other processes within two seconds. Its content is removed now, or in
 * the background if there is much of it. Its ledger lines stay, under its name.
 */
export async function removeProject(
  id: string,
  options: Options,
  services: ProjectServices & PurgeServices,
): Promise<void> {
  const { db, keyCache, actor, author } = services
  const { organization } = await visibleProject(id, db, actor)
  demand(actor, 'projects.create', { organization })
  if ([PERSONAL, DEFAULT].includes(id))
    throw problem('conflict', {
      message: `'${id}' is a built-in project and cannot be deleted. Revoke its keys instead.`,
    })
  const event = { action: 'project.delete', object: `project:${id}` }
  if (!(await deleteProject(audited(db, author, event), id, options))) {
    await existingProject(id, db)
    throw unfinished()
  }
  await keyCache.refresh()
  await purge({ project: id }, services)
}

/** Deletes what a project has stored about one of its end users. Nothing else of that person is known to the gateway. */
export async function removeEndUserContent(
  named: string,
  { project, force }: { project: string; force: boolean },
  services: ProjectServices & PurgeServices,
): Promise<Purged> {
  const { db, actor, author } = services
  const endUser = labelOf(named)
  demand(actor, 'projects.write', projectScope(await visibleProject(project, db, actor)))
  if (!force && (await hasUnfinishedJobs(db, { project, endUser }))) throw unfinished()
  await writeAuditEvents(db, author, {
    action: 'end_user.delete_content',
    object: `project:${project}`,
    after: { end_user: endUser },
  })
  return await purge({ project, endUser }, services)
}

function unfinished() {
  const message = 'There are unfinished jobs. Wait until they end, or give them up with ?force=true.'
  return problem('conflict', { message })
}
