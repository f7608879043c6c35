import { problem } from '../contract/problems.ts'
import { demandStorage } from '../calls/files/storage-quota.ts'
import { waitingJobsOf } from '../platform/store/jobs/jobs.ts'
import type { JobServices } from './job-services.ts'

export const MAX_WAITING_JOBS = 20_000
const RETRY_AFTER_SECONDS = 60

/** Throws if the owner has too many jobs waiting, or has stored so much that a job with this request does not fit. */
export async function demandJobRoom(
  owner: string,
  requestBytes: number,
  { db, maxWaitingJobs, calls: { files } }: Pick<JobServices, 'db' | 'maxWaitingJobs' | 'calls'>,
): Promise<void> {
  if ((await waitingJobsOf(db, owner)) >= maxWaitingJobs) throw tooManyWaiting(maxWaitingJobs)
  await demandStorage(owner, requestBytes, files)
}

function tooManyWaiting(maxWaitingJobs: number) {
  const message = `${maxWaitingJobs} jobs of this owner are already waiting, which is the maximum. Try again when some of them have ended.`
  return problem('rate_limit_exceeded', { message, retryAfterSeconds: RETRY_AFTER_SECONDS })
}
