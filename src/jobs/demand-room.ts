import type { AppContext } from '../app/context.ts'
import { problem } from '../contract/problems.ts'
import { storedBytesOf, waitingJobsOf } from '../store/projects/stored-by-owner.ts'

/** Jobs of one owner that wait at once. A job is refused by limits when it runs, so something else has to bound what waits. */
const MAX_WAITING_JOBS = 20_000
/** Smaller jobs are bounded by their number. To sum up what an owner has stored takes a while. */
const SMALL_CHARS = 64 * 1024
const RETRY_AFTER_SECONDS = 60

/** Throws if the owner has too many jobs waiting, or has stored so much that a job with this request does not fit. */
export async function demandRoom(
  owner: string,
  requestChars: number,
  { db, files }: Pick<AppContext, 'db' | 'files'>,
): Promise<void> {
  if ((await waitingJobsOf(db, owner)) >= MAX_WAITING_JOBS) throw tooManyWaiting()
  if (requestChars <= SMALL_CHARS) return
  if ((await storedBytesOf(db, owner)) + requestChars > files.quotaBytes) throw tooMuchStored(files.quotaBytes)
}

function tooManyWaiting() {
  const message = `${MAX_WAITING_JOBS} jobs of this owner are waiting already, which is the most. Try again when some of them have ended.`
  return problem('rate_limit_exceeded', { message, retryAfterSeconds: RETRY_AFTER_SECONDS })
}

function tooMuchStored(quotaBytes: number) {
  const megabytes = Math.floor(quotaBytes / 1024 / 1024)
  const message = `Files, conversations, responses and jobs of this owner would take more than ${megabytes} MB. Delete some first.`
  return problem('too_large', { message })
}
