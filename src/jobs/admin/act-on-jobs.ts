import { audited } from '../../tenants/audit/audited.ts'
import type { BulkResult } from '../../contract/admin/bulk.ts'
import { problem } from '../../contract/problems.ts'
import { inBulk } from '../../tenants/people/in-bulk.ts'
import { reachIn } from '../../tenants/people/may.ts'
import { actOnJobs, chooseFor, countFor, type JobAction } from '../../platform/store/jobs/change-jobs.ts'
import type { WatchFilter } from '../../platform/store/jobs/watched-jobs.ts'
import type { JobServices } from '../job-services.ts'
import { visibleJob, type Watcher } from './watch-jobs.ts'

type Operator = Watcher & Pick<JobServices, 'newId' | 'now' | 'background'>

const REFUSALS: Record<JobAction, string> = {
  cancel: 'This job has ended, or is being cancelled already.',
  delete: 'This job has not ended yet, or is a response, which its owner deletes.',
  retry:
    'This job did not fail, was run again already, or what it needs is gone: its input, or a key that may be used.',
}

/** Returns the id of the new job, if the action makes one. */
export async function actOnJob(action: JobAction, id: string, services: Operator): Promise<string> {
  const { owner } = await visibleJob(id, 'jobs.write', services)
  const newId = services.newId()
  const isPossible = (await countFor(services.db, action, { id })) > 0
  if (!isPossible) throw problem('conflict', { message: REFUSALS[action] })
  const after = action === 'retry' ? { retried_as: newId } : undefined
  const event = { action: `job.${action}`, object: `job:${id}`, ...(after && { after }) }
  await actOnJobs(audited(services.db, services.author, event), action, [{ id, owner, newId }])
  notice(action, [id], services)
  return newId
}

/** What was submitted after the call began was not confirmed. */
export async function actOnAll(
  action: JobAction,
  { filter, expected }: { filter: WatchFilter; expected: number | null | undefined },
  services: Operator,
): Promise<BulkResult> {
  const { db, actor, now } = services
  const until = Math.min(filter.to ?? Number.MAX_SAFE_INTEGER, now())
  const chosen = { ...filter, to: until, reach: await reachIn(actor, 'jobs.write', db) }
  return await inBulk({
    expected,
    count: () => countFor(db, action, chosen),
    act: (limit) => actOnSome(action, { ...chosen, limit }, services),
  })
}

async function actOnSome(action: JobAction, chosen: WatchFilter & { limit: number }, services: Operator) {
  const { db, author, newId } = services
  const jobs = (await chooseFor(db, action, chosen)).map((job) => ({ ...job, newId: newId() }))
  if (jobs.length === 0) return { chosen: 0, done: 0 }
  const { reach: _, limit: __, ...filter } = chosen
  const after = { ...filter, jobs: jobs.map(({ id }) => id) }
  const done = await actOnJobs(
    audited(db, author, { action: `job.bulk_${action}`, object: 'jobs', after }),
    action,
    jobs,
  )
  notice(
    action,
    jobs.map(({ id }) => id),
    services,
  )
  return { chosen: jobs.length, done }
}

/** Tells the worker of this process at once; others find out with their next look. */
function notice(action: JobAction, ids: readonly string[], { background }: Operator): void {
  if (action === 'cancel') for (const id of ids) background.current?.stopJob(id)
  if (action !== 'delete') background.current?.wakeWorker()
}
