import { useLocation } from 'preact-iso/router'
import type { JobRecord } from '../../../src/contract/admin/jobs.ts'
import { pathTo, pathWith } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { callAll } from '../../parts/call-all.ts'
import { CopyButton } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FactGroups } from '../../parts/facts.tsx'
import { duration, money } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { useProjectNames } from '../../parts/use-names.ts'
import { useQuery } from '../../parts/use-query.ts'
import { JobState, jobPath, taskOf, tookMs } from './columns.tsx'
import { JobActions } from './job-actions.tsx'
import { JobContent } from './job-content.tsx'
import { Timeline } from './timeline.tsx'

/** Everything that is known about one job. */
export function JobDetail({ id, onChanged }: { id: string; onChanged: () => void }) {
  const { query } = useQuery()
  const { route } = useLocation()
  const { value, error, reload } = useAnswer(pathTo('/admin/jobs/{job_id}', { job_id: id }))
  const go = (next: string | undefined) => route(jobPath(query, next))
  const changed = callAll(reload, onChanged)
  return (
    <Dialog title="Job" isDrawer onClose={() => go(undefined)}>
      <p class="id-line">
        <code>{id}</code> <CopyButton text={id} what="the id" />
      </p>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="the job" />}
      {value && may('jobs.write') && <JobActions job={value} go={go} onChanged={changed} onGone={onChanged} />}
      {value && <Parts job={value} />}
    </Dialog>
  )
}

function Parts({ job }: { job: JobRecord }) {
  return (
    <>
      <JobFacts job={job} />
      {job.error && (
        <>
          <h3>Error</h3>
          <p class="reason">{job.error}</p>
        </>
      )}
      <h3>Timeline</h3>
      <Timeline events={job.timeline} />
      <JobContent job={job} />
    </>
  )
}

function JobFacts({ job }: { job: JobRecord }) {
  const { query } = useQuery()
  const projectName = useProjectNames()
  const other = (id: string | null) => id && <a href={jobPath(query, id)}>{id}</a>
  const { project, delivery_id: delivery } = job
  const keyName = job.key_name ?? job.key_id
  return (
    <FactGroups
      of={{
        Job: {
          State: <JobState state={job.state} />,
          Task: taskOf(job),
          Provider: job.provider,
          Model: job.model,
          Cost: money(job.cost),
          Duration: duration(tookMs(job)),
        },
        'Submitted by': {
          Project: project && <a href={pathWith('/jobs', { project })}>{projectName(project)}</a>,
          Key: may('keys.read') ? <a href={pathWith('/keys', { key: job.key_id })}>{keyName}</a> : keyName,
        },
        Processing: {
          Worker: job.worker,
          Receiver: job.webhook,
          Webhook: delivery && <a href={pathWith('/webhooks', { delivery })}>{delivery}</a>,
          'Retry of': other(job.retry_of),
          'Retried as': other(job.retried_as),
        },
      }}
    />
  )
}
