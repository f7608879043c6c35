import type { CallServices } from '../../calls/services/call-services.ts'
import type { Author } from '../../tenants/audit/author.ts'
import { writeAuditEvents } from '../../tenants/audit/audited.ts'
import type { JobCounts, JobRecord } from '../../contract/admin/jobs.ts'
import type { WatchedJob, WatchedJobList } from '../../contract/admin/operations.ts'
import { problem } from '../../contract/problems.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import type { Actor } from '../../tenants/people/actor.ts'
import { may, reachIn } from '../../tenants/people/may.ts'
import { isoOf } from '../../tenants/people/people-services.ts'
import type { Permission } from '../../tenants/people/roles.ts'
import { maskUrls } from '../../base/redaction/mask-urls.ts'
import { isRecord } from '../../base/schema/record.ts'
import { namesInReport } from '../../money/billing/names-in-reports.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'
import type { Database } from '../../platform/store/database.ts'
import type { JobSummary } from '../../platform/store/jobs/jobs.ts'
import { countFor } from '../../platform/store/jobs/change-jobs.ts'
import { findJobDetail, type JobDetail, readJobContent } from '../../platform/store/jobs/job-detail.ts'
import { countJobs, type JobState, listAllJobs, type WatchFilter } from '../../platform/store/jobs/watched-jobs.ts'
import { accessTo, contentsNotYours } from './content-readers.ts'
import { timelineOf } from './job-timeline.ts'

// What operators see of jobs: states and times, and contents only if they ask for them and may read them.

/** Who asks. Managers see their projects, members what their own keys have made. */
export type Watcher = Pick<CallServices, 'db'> & { actor: Actor; author: Author }
export type Page = { limit: number; cursor?: string | undefined }

export async function watchJobs(page: Page & WatchFilter, { db, actor }: Watcher): Promise<WatchedJobList> {
  const { items, nextCursor } = await listAllJobs(db, { ...page, reach: await reachIn(actor, 'jobs.read', db) })
  return { items: await jobsShown(items, db), next_cursor: nextCursor }
}

export async function countWatched(filter: WatchFilter, { db, actor }: Watcher): Promise<JobCounts> {
  const counts = await countJobs(db, { ...filter, reach: await reachIn(actor, 'jobs.read', db) })
  return { ...counts, total: Object.values(counts).reduce((sum, count) => sum + count, 0) }
}

/** Reading what is in a job is an entry of the audit log. */
export async function showJob(id: string, withContent: boolean, services: Watcher): Promise<JobRecord> {
  const { db, actor, author } = services
  const job = await visibleJob(id, 'jobs.read', services)
  const { scope, mayRead } = await accessTo(job, services)
  if (withContent && !mayRead) throw contentsNotYours()
  const content = withContent ? await contentOf(job, db) : { input: null, output: null }
  if (withContent) await writeAuditEvents(db, author, { action: 'job.read_content', object: `job:${id}` })
  const { project, attempt, worker, webhookUrl, deliveryId, retryOf, retriedAs } = job
  return {
    ...(await jobsShown([job], db))[0]!,
    project,
    attempt,
    worker,
    webhook: webhookUrl && maskUrls(webhookUrl),
    delivery_id: deliveryId,
    retry_of: retryOf,
    retried_as: retriedAs,
    can_retry: may(actor, 'jobs.write', scope) && (await countFor(db, 'retry', { id })) > 0,
    can_read_content: mayRead,
    timeline: await timelineOf(job, db),
    ...content,
  }
}

type SeenJob = JobSummary & { state: JobState }

async function jobsShown(jobs: readonly SeenJob[], db: Database): Promise<WatchedJob[]> {
  const nameOf = await namesInReport(
    db,
    'key',
    jobs.map(({ keyId }) => keyId),
  )
  return jobs.map((job) => jobShown(job, nameOf(job.keyId)))
}

function jobShown(job: SeenJob, key_name: string | null): WatchedJob {
  const {
    id,
    ownerId: owner,
    keyId,
    feature,
    subfeature,
    provider,
    model,
    status,
    state,
    cost,
    error,
    executions,
  } = job
  return {
    id,
    owner,
    key_id: keyId,
    key_name,
    feature,
    subfeature,
    provider,
    model,
    status,
    state,
    cost,
    error,
    executions,
    created_at: isoOf(job.createdAt),
    started_at: isoOf(job.startedAt),
    finished_at: isoOf(job.finishedAt),
  }
}

/** A job that the actor may not see is answered as if it did not exist. */
export async function visibleJob(id: string, permission: Permission, { db, actor }: Watcher): Promise<JobDetail> {
  const reach = await reachIn(actor, permission, db)
  const { items } = isResourceId(id) ? await listAllJobs(db, { limit: 1, id, reach }) : { items: [] }
  const job = items.length > 0 ? await findJobDetail(db, id) : undefined
  if (!job) throw problem('not_found', { message: 'There is no such job.' })
  return job
}

async function contentOf({ id }: JobDetail, db: Database): Promise<Pick<JobRecord, 'input' | 'output'>> {
  const { request, output } = await readJobContent(db, id)
  return { input: objectIn(objectIn(tryParse(request ?? ''))?.body), output: objectIn(tryParse(output ?? '')) }
}

function objectIn(value: unknown): Record<string, unknown> | null {
  return isRecord(value) ? value : null
}
