import type { AppContext } from '../../app/context.ts'
import type { Author } from '../../audit/author.ts'
import { record } from '../../audit/record.ts'
import { problem } from '../../contract/problems.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { Actor } from '../../people/actor.ts'
import { may, reachIn } from '../../people/may.ts'
import type { Permission } from '../../people/roles.ts'
import { maskUrls } from '../../redaction/mask-urls.ts'
import { isResourceId } from '../../schema/resource-id.ts'
import type { Database } from '../../store/database.ts'
import { countFor } from '../../store/jobs/change-jobs.ts'
import { findJobDetail, type JobDetail, readJobContent } from '../../store/jobs/job-detail.ts'
import { countJobs, listAllJobs, type WatchFilter } from '../../store/jobs/watched-jobs.ts'
import { accessTo, contentsNotYours } from './content-readers.ts'
import { timelineOf } from './job-timeline.ts'
import { shownOf } from './shown.ts'

// What operators see of jobs: states and times, and contents only if they ask for them and may read them.

/** Who asks. Managers see their projects, members what their own keys have made. */
export type Watcher = Pick<AppContext, 'db'> & { actor: Actor; author: Author }
export type Page = { limit: number; cursor?: string | undefined }

export async function watchJobs(page: Page & WatchFilter, { db, actor }: Watcher) {
  const { items, nextCursor } = await listAllJobs(db, { ...page, reach: await reachIn(actor, 'jobs.read', db) })
  return { items: items.map(shownOf), next_cursor: nextCursor }
}

export async function countWatched(filter: WatchFilter, { db, actor }: Watcher) {
  const counts = await countJobs(db, { ...filter, reach: await reachIn(actor, 'jobs.read', db) })
  return { ...counts, total: Object.values(counts).reduce((sum, count) => sum + count, 0) }
}

/** Reading what is in a job is an entry of the audit log. */
export async function showJob(id: string, withContent: boolean, context: Watcher) {
  const { db, actor, author } = context
  const job = await visibleJob(id, 'jobs.read', context)
  const { place, mayRead } = await accessTo(job, context)
  if (withContent && !mayRead) throw contentsNotYours()
  const content = withContent ? await contentOf(job, db) : { input: null, output: null }
  if (withContent) await record(db, author, { action: 'job.read_content', object: `job:${id}` })
  const { isLost: _, hasRequest: __, stop: ___, user: ____, webhookUrl, ...shown } = job
  const canRetry = may(actor, 'jobs.write', place) && (await countFor(db, 'retry', { id })) > 0
  const webhook = webhookUrl && maskUrls(webhookUrl)
  const more = { webhook, can_retry: canRetry, can_read_content: mayRead, timeline: await timelineOf(job, db) }
  return { ...shownOf(shown), project: job.project, ...more, ...content }
}

/** Somebody else's job answers as one that does not exist. */
export async function visibleJob(id: string, permission: Permission, { db, actor }: Watcher): Promise<JobDetail> {
  const reach = await reachIn(actor, permission, db)
  const { items } = isResourceId(id) ? await listAllJobs(db, { limit: 1, id, reach }) : { items: [] }
  const job = items.length > 0 ? await findJobDetail(db, id) : undefined
  if (!job) throw problem('not_found', { message: 'There is no such job.' })
  return job
}

async function contentOf({ id }: JobDetail, db: Database) {
  const { request, output } = await readJobContent(db, id)
  const { body = null } = (tryParse(request ?? '') ?? {}) as { body?: unknown }
  return { input: body, output: tryParse(output ?? '') ?? null }
}
