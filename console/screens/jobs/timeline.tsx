import type { JobRecord } from '../../../src/contract/admin/jobs.ts'
import { moment } from '../../parts/format.ts'

type JobEvent = JobRecord['timeline'][number]

const TITLES: Readonly<Record<JobEvent['event'], string>> = {
  submitted: 'Submitted',
  retry_submitted: 'Submitted again',
  started: 'Started',
  started_again: 'Started again',
  lease_lost: 'The worker lost its lease',
  cancel_asked: 'Cancellation requested',
  finished: 'Finished',
  webhook: 'Webhook',
}

/** What happened, in its order. */
export function Timeline({ events }: { events: readonly JobEvent[] }) {
  return (
    <ol class="events">
      {events.map(({ at, event, note }, index) => (
        <li key={index}>
          <span class="faint">{at ? moment(at) : 'time not recorded'}</span>
          <span>
            {TITLES[event]}
            {note && <span class="reason">: {note}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}
