import { useState } from 'preact/hooks'
import type { JobRecord } from '../../../src/contract/admin/jobs.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { TwoSteps } from '../../parts/two-steps.tsx'
import { hasEnded, RESPONSES } from './states.ts'

type Props = {
  job: JobRecord
  /** To another job, or to the list. */
  go: (id: string | undefined) => void
  onChanged: () => void
  /** It is not there any more. */
  onGone: () => void
}

/** Only what the state of the job allows. */
export function JobActions({ job, go, onChanged, onGone }: Props) {
  const [error, setError] = useState<Error>()
  const asked = { job_id: job.id }
  const cancel = () =>
    sendJson('POST', pathTo('/admin/jobs/{job_id}/cancel', asked)).then(() => {
      toast('The job ends within seconds.')
      onChanged()
    }, setError)
  const retry = () =>
    sendJson('POST', pathTo('/admin/jobs/{job_id}/retry', asked)).then(({ id }) => {
      toast('The job runs again, as a new one.')
      onGone()
      go(id)
    }, setError)
  const remove = () =>
    sendJson('DELETE', pathTo('/admin/jobs/{job_id}', asked)).then(() => {
      toast('The job is deleted.')
      onGone()
      go(undefined)
    }, setError)
  return (
    <section>
      <h3>Actions</h3>
      <Failure error={error} />
      <div class="actions">
        {canCancel(job) && <TwoSteps label="Cancel it" sure="Cancel it now" onSure={cancel} />}
        {job.can_retry && <TwoSteps label="Retry" sure="Run it again" onSure={retry} isHarmless />}
        {canDelete(job) && <TwoSteps label="Delete" sure="Delete it for good" onSure={remove} />}
      </div>
      {!canCancel(job) && !canDelete(job) && !job.can_retry && <p class="faint">None that its state allows.</p>}
    </section>
  )
}

function canCancel({ state, timeline }: JobRecord): boolean {
  return !hasEnded(state) && timeline.every(({ event }) => event !== 'cancel_asked')
}

function canDelete({ state, feature }: JobRecord): boolean {
  return hasEnded(state) && feature !== RESPONSES
}
