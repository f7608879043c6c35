import type { JobRecord } from '../../contract/admin/jobs.ts'
import { isoOf } from '../../tenants/people/people-services.ts'
import type { Database } from '../../platform/store/database.ts'
import { readAttempts } from '../../platform/store/deliveries/attempts.ts'
import type { JobDetail } from '../../platform/store/jobs/job-detail.ts'

const MAX_ATTEMPTS = 50

type JobEvent = JobRecord['timeline'][number]

/** What happened to a job, as far as it is recorded: the store keeps the first start and the last end. */
export async function timelineOf(job: JobDetail, db: Database): Promise<JobEvent[]> {
  return [...begun(job), ...ended(job), ...(await sent(job, db))]
}

function begun({ createdAt, startedAt, retryOf, executions, worker }: JobDetail): JobEvent[] {
  const again = executions - 1
  return [
    happened(createdAt, retryOf ? 'retry_submitted' : 'submitted', retryOf && `Runs ${retryOf} again.`),
    ...(startedAt === null ? [] : [happened(startedAt, 'started', worker && `Worker ${worker}.`)]),
    ...(again > 0 ? [happened(null, 'started_again', `${again} more, after a worker had lost its lease.`)] : []),
  ]
}

function ended({ isLost, stop, finishedAt, state, error }: JobDetail): JobEvent[] {
  return [
    ...(isLost === 1 ? [happened(null, 'lease_lost', 'Another worker takes it over.')] : []),
    ...(stop === null ? [] : [happened(null, 'cancel_asked', null)]),
    ...(finishedAt === null ? [] : [happened(finishedAt, 'finished', state === 'fail' ? error : null)]),
  ]
}

async function sent({ deliveryId }: JobDetail, db: Database): Promise<JobEvent[]> {
  if (deliveryId === null) return []
  const attempts = await readAttempts(db, deliveryId, MAX_ATTEMPTS)
  return attempts.toReversed().map(({ at, status, error }) => happened(at, 'webhook', error ?? `Status ${status}.`))
}

function happened(at: number | null, event: JobEvent['event'], note: string | null): JobEvent {
  return { at: isoOf(at), event, note }
}
