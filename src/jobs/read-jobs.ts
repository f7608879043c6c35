import type { Caller } from '../tenants/access/caller.ts'
import type { CallServices } from '../calls/services/call-services.ts'
import { COPIES_OF_ANSWER, type MemoryLease, UNCOUNTED_BYTES } from '../calls/memory-budget.ts'
import { problem } from '../contract/problems.ts'
import type { JobStatus, UniversalJob, UniversalJobList } from '../contract/universal.ts'
import { LARGE_CHARS } from '../translation/json/large-text.ts'
import { isResourceId } from '../base/schema/resource-id.ts'
import { findJobDetail } from '../platform/store/jobs/job-detail.ts'
import { deleteJob, getJob, listJobs, resultCharsOf, type StoredJob } from '../platform/store/jobs/jobs.ts'

// Reading, listing and deleting the jobs of a caller.

/** A job, and the caller's parameters as JSON, because the job's reply contains them digit for digit. */
export type JobReply = { job: UniversalJob; userParameters: string | null }

/** Memory for a long result is reserved before it is read, and each step with it has a turn of the event loop to itself. */
export async function findJob(
  id: string,
  { owner }: Caller,
  memory: MemoryLease,
  { db, loopSlot }: Pick<CallServices, 'db' | 'loopSlot'>,
): Promise<JobReply> {
  if (!isResourceId(id)) throw unknownJob()
  const chars = await resultCharsOf(db, owner, id)
  if (chars > UNCOUNTED_BYTES) await memory.hold(chars * COPIES_OF_ANSWER)
  const job = await getJob(db, owner, id)
  if (chars > LARGE_CHARS) await loopSlot(owner)
  if (!job) throw unknownJob()
  return toReply(job)
}

/**
 * Throws unless this caller has submitted the job itself, although its project may share jobs. Otherwise a person could read
 * the jobs of others in the playground without the right to read contents. (A manager can also read them with a new key of
 * the project, but the audit log then has the creation of that key.)
 */
export async function demandSubmitter(id: string, { keyId }: Caller, { db }: Pick<CallServices, 'db'>): Promise<void> {
  const job = isResourceId(id) ? await findJobDetail(db, id) : undefined
  if (job?.keyId !== keyId) throw unknownJob()
}

type JobQuery = {
  feature?: string | undefined
  subfeature?: string | undefined
  status?: JobStatus | undefined
  page: number
  limit: number
}

export async function listOwnJobs(
  query: JobQuery,
  caller: Caller,
  { db }: Pick<CallServices, 'db'>,
): Promise<UniversalJobList> {
  const { jobs, total } = await listJobs(db, caller.owner, query)
  const { page, limit } = query
  const items = jobs.map(({ id, status, feature, subfeature, provider, model, createdAt }) => {
    return { public_id: id, job_id: id, status, feature, subfeature, provider, model, created_at: isoOf(createdAt) }
  })
  return { items, total, page, limit, total_pages: Math.ceil(total / limit) }
}

export async function removeJob(
  id: string,
  caller: Caller,
  { db }: Pick<CallServices, 'db'>,
): Promise<{ public_id: string; job_id: string; deleted: true }> {
  const outcome = isResourceId(id) ? await deleteJob(db, caller.owner, id) : 'unknown'
  if (outcome === 'unknown') throw unknownJob()
  if (outcome === 'running')
    throw problem('conflict', { message: 'This job is still being processed. Delete it when it has ended.' })
  return { public_id: id, job_id: id, deleted: true }
}

/** Another owner's job gives exactly the same answer as a job that never existed. */
function unknownJob() {
  return problem('not_found', { message: 'There is no such job.' })
}

export function toReply(job: StoredJob): JobReply {
  return { job: toJob(job), userParameters: job.userParameters }
}

function toJob(job: StoredJob): UniversalJob {
  return {
    public_id: job.id,
    job_id: job.id,
    status: job.status,
    cost: job.status === 'processing' ? 0 : job.cost,
    provider: job.provider,
    feature: job.feature,
    subfeature: job.subfeature,
    model: job.model,
    created_at: isoOf(job.createdAt),
    output: job.output ?? null,
    error: job.error === null ? null : { message: job.error },
    ...(job.showOriginal && job.status !== 'processing' && { original_response: job.original ?? null }),
  }
}

function isoOf(at: number): string {
  return new Date(at).toISOString()
}
