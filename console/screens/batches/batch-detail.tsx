import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { BatchRecord } from '../../../src/contract/admin/batches.ts'
import { pathTo, pathWith, sendJson } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { ActionBar } from '../../parts/action-bar.tsx'
import { callAll } from '../../parts/call-all.ts'
import { CopyButton } from '../../parts/code-block.tsx'
import { ConfirmStep } from '../../parts/confirm-step.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FactGroups } from '../../parts/facts.tsx'
import { count, moment } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { useProjectNames } from '../../parts/use-names.ts'
import { useQuery } from '../../parts/use-query.ts'
import { BatchProgress, BatchState, batchPath } from './columns.tsx'
import { EXECUTIONS } from './states.ts'

const CANCEL = {
  text: 'No more requests are sent. Requests in progress are answered and billed.',
  sure: 'Cancel batch',
}

/** Everything that is known about one batch. */
export function BatchDetail({ id, onChanged }: { id: string; onChanged: () => void }) {
  const { query } = useQuery()
  const { route } = useLocation()
  const { value, error, reload } = useAnswer(pathTo('/admin/batches/{id}', { id }))
  return (
    <Dialog title="Batch" isDrawer onClose={() => route(batchPath(query, undefined))}>
      <p class="id-line">
        <code>{id}</code> <CopyButton text={id} what="the id" />
      </p>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="the batch" />}
      {value && <Actions batch={value} onChanged={callAll(reload, onChanged)} />}
      {value && <Parts batch={value} />}
    </Dialog>
  )
}

type ActionsProps = { batch: BatchRecord; onChanged: () => void }

function Actions({ batch: { id, created_at: from, can_cancel: canCancel }, onChanged }: ActionsProps) {
  const [error, setError] = useState<Error>()
  const cancel = () =>
    sendJson('POST', pathTo('/admin/batches/{id}/cancel', { id })).then(() => {
      toast('The batch ends when the requests in progress have ended.')
      onChanged()
    }, setError)
  const form = <ConfirmStep {...CANCEL} onSure={cancel} />
  const links: Record<string, string> = may('usage.read')
    ? { 'View requests': pathWith('/requests', { batch: id, from }) }
    : {}
  return (
    <>
      <Failure error={error} />
      <ActionBar links={links} actions={[canCancel && { title: 'Cancel', icon: 'revoke', isDanger: true, form }]} />
    </>
  )
}

function Parts({ batch }: { batch: BatchRecord }) {
  return (
    <>
      <BatchProgress batch={batch} />
      <BatchFacts batch={batch} />
      {batch.paused_reason && (
        <>
          <h3>Paused</h3>
          <p class="reason">{batch.paused_reason}</p>
        </>
      )}
      {batch.errors.length > 0 && (
        <>
          <h3>Errors</h3>
          <ul>
            {batch.errors.map(({ line, message }) => (
              <li key={`${line} ${message}`}>{line === null ? message : `Line ${line}: ${message}`}</li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function BatchFacts({ batch }: { batch: BatchRecord }) {
  const projectName = useProjectNames()
  const { project, key_id: key, created_at: created } = batch
  const keyName = batch.key_name ?? key
  return (
    <FactGroups
      of={{
        Batch: {
          State: <BatchState batch={batch} />,
          'Resumes at': batch.resumes_at && moment(batch.resumes_at),
          'Answered by': EXECUTIONS[batch.execution],
          'At providers': batch.at_providers
            .map(({ provider, model, requests, state }) => `${provider}: ${count(requests)} of ${model}, ${state}`)
            .join('; '),
        },
        'Submitted by': {
          Project: <a href={pathWith('/batches', { project })}>{projectName(project)}</a>,
          Key: may('keys.read') ? <a href={pathWith('/keys', { key })}>{keyName}</a> : keyName,
          'ID in the API': <code>{batch.name}</code>,
          Receiver: batch.webhook,
        },
        Times: {
          Submitted: moment(created),
          Started: batch.started_at && moment(batch.started_at),
          Expires: moment(batch.expires_at),
          Ended: batch.ended_at && moment(batch.ended_at),
        },
      }}
    />
  )
}
