import { useState } from 'preact/hooks'
import type { JobRecord } from '../../../src/contract/admin/jobs.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { ActionBar } from '../../parts/action-bar.tsx'
import { ConfirmStep as Step } from '../../parts/confirm-step.tsx'
import { hasEnded, RESPONSES } from './states.ts'

type Props = {
  job: JobRecord
  /** To another job, or to the list. */
  go: (id: string | undefined) => void
  onChanged: () => void
  /** It is not there any more. */
  onGone: () => void
}

const RETRY = { text: 'Runs as a new job and is billed again.', sure: 'Retry job', isHarmless: true }
const CANCEL = { text: 'The job ends as failed.', sure: 'Cancel job' }
const DELETE = { text: 'Deletes the job and its result. This cannot be undone.', sure: 'Delete job' }

/** Only what the state of the job allows. */
export function JobActions({ job, go, onChanged, onGone }: Props) {
  const [error, setError] = useState<Error>()
  const asked = { job_id: job.id }
  const cancel = () =>
    sendJson('POST', pathTo('/admin/jobs/{job_id}/cancel', asked)).then(() => {
      toast('The job will stop within seconds.')
      onChanged()
    }, setError)
  const retry = () =>
    sendJson('POST', pathTo('/admin/jobs/{job_id}/retry', asked)).then(({ id }) => {
      toast('Retrying as a new job.')
      onGone()
      go(id)
    }, setError)
  const remove = () =>
    sendJson('DELETE', pathTo('/admin/jobs/{job_id}', asked)).then(() => {
      toast('Job deleted.')
      onGone()
      go(undefined)
    }, setError)
  return (
    <>
      <Failure error={error} />
      <ActionBar
        actions={[
          job.can_retry && { title: 'Retry', icon: 'refresh', form: <Step {...RETRY} onSure={retry} /> },
          canCancel(job) && {
            title: 'Cancel',
            icon: 'revoke',
            isDanger: true,
            form: <Step {...CANCEL} onSure={cancel} />,
          },
          canDelete(job) && {
            title: 'Delete',
            icon: 'remove',
            isDanger: true,
            form: <Step {...DELETE} onSure={remove} />,
          },
        ]}
      />
    </>
  )
}

function canCancel({ state, timeline }: JobRecord): boolean {
  return !hasEnded(state) && timeline.every(({ event }) => event !== 'cancel_asked')
}

function canDelete({ state, feature }: JobRecord): boolean {
  return hasEnded(state) && feature !== RESPONSES
}
