import type { AppContext } from '../../app/context.ts'
import type { Author } from '../../audit/author.ts'
import { record } from '../../audit/record.ts'
import { problem } from '../../contract/problems.ts'
import { tryParse } from '../../json/try-parse.ts'
import { type Actor, DEFAULT_ORGANIZATION } from '../../people/actor.ts'
import { may, type Owned, reachIn } from '../../people/may.ts'
import { notYours } from '../../people/people-context.ts'
import type { Permission } from '../../people/roles.ts'
import { maskUrls } from '../../redaction/mask-urls.ts'
import { isResourceId } from '../../schema/resource-id.ts'
import type { Database } from '../../store/database.ts'
import { countFor } from '../../store/jobs/change-jobs.ts'
import { findJobDetail, type JobDetail, readJobContent } from '../../store/jobs/job-detail.ts'
import { countJobs, listAllJobs, type WatchFilter } from '../../store/jobs/watched-jobs.ts'
import { findProject } from '../../store/projects/projects.ts'
import { timelineOf } from './job-timeline.ts'
import { withIsoTimes } from './shown.ts'

// What operators see of jobs: states and times, and contents only if they ask for them and may read them.

/** Who asks. Managers see their projects, members what their own keys have made. */
export type Watcher = Pick<AppContext, 'db'> & { actor: Actor; author: Author }
export type Page = { limit: number; cursor?: string | undefined }

export async function watchJobs(page: Page & WatchFilter, { db, actor }: Watcher) {
  const { items, nextCursor } = await listAllJobs(db, { ...page, reach: await reachIn(actor, 'jobs.read', db) })
  return { items: items.map(withIsoTimes), next_cursor: nextCursor }
}

export async function countWatched(filter: WatchFilter, { db, actor }: Watcher) {
  const counts = await countJobs(db, { ...filter, reach: await reachIn(actor, 'jobs.read', db) })
  return { ...counts, total: Object.values(counts).reduce((sum, count) => sum + count, 0) }
}

/** Reading what is in a job is an entry of the audit log. */
export async function showJob(id: string, withContent: boolean, context: Watcher) {
  const { db, actor, author } = context
  const job = await visibleJob(id, 'jobs.read', context)
  const content = withContent ? await contentOf(job, context) : { input: null, output: null }
  if (withContent) await record(db, author, { action: 'job.read_content', object: `job:${id}` })
  const { isLost: _, hasRequest: __, stop: ___, user: ____, webhookUrl, ...shown } = job
  const canRetry = may(actor, 'jobs.write', await placeOf(job, db)) && (await countFor(db, 'retry', { id })) > 0
  const more = { webhook: webhookUrl && maskUrls(webhookUrl), can_retry: canRetry, timeline: await timelineOf(job, db) }
  return { ...withIsoTimes(shown), ...more, ...content }
}

/** Somebody else's job answers as one that does not exist. */
export async function visibleJob(id: string, permission: Permission, { db, actor }: Watcher): Promise<JobDetail> {
  const reach = await reachIn(actor, permission, db)
  const { items } = isResourceId(id) ? await listAllJobs(db, { limit: 1, id, reach }) : { items: [] }
  const job = items.length > 0 ? await findJobDetail(db, id) : undefined
  if (!job) throw problem('not_found', { message: 'There is no such job.' })
  return job
}

async function contentOf(job: JobDetail, { db, actor }: Watcher) {
  if (!may(actor, 'content.read', await placeOf(job, db))) throw notYours('Your role does not allow to read contents.')
  const { request, output } = await readJobContent(db, job.id)
  const { body = null } = (tryParse(request ?? '') ?? {}) as { body?: unknown }
  return { input: body, output: tryParse(output ?? '') ?? null }
}

type Made = { project: string | null; owner: string; user: string | null }

/** A key that is not in the store belongs to the project of its owner. */
export async function placeOf({ project, owner, user }: Made, db: Database): Promise<Owned> {
  const id = project ?? owner
  const found = await findProject(db, id)
  return { organization: found?.organization ?? DEFAULT_ORGANIZATION, project: id, user }
}
