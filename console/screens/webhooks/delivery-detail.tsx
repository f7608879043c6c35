import { useState } from 'preact/hooks'
import type { DeliveryRecord } from '../../../src/contract/admin/deliveries.ts'
import { pathTo, pathWith, sendJson } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { ActionBar } from '../../parts/action-bar.tsx'
import { callAll } from '../../parts/call-all.ts'
import { ConfirmStep } from '../../parts/confirm-step.tsx'
import { CopyButton } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { moment } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { useProjectNames } from '../../parts/use-names.ts'
import { useQuery } from '../../parts/use-query.ts'
import { DeliveryAttempts } from './attempts.tsx'
import { DeliveryState, nextAttempt } from './columns.tsx'
import { PublicKeys, SentBytes } from './sent.tsx'

/** Everything that is known about one webhook. Contents only when the person asks for them, because the audit log notes it. */
export function DeliveryDetail({ id, onChanged }: { id: string; onChanged: () => void }) {
  const { change } = useQuery()
  const [withContent, setWithContent] = useState(false)
  const { value, error, reload } = useAnswer(pathTo('/admin/deliveries/{id}', { id }), {
    content: withContent || undefined,
  })
  const changed = callAll(reload, onChanged)
  const want = value?.can_read_content && !withContent ? () => setWithContent(true) : undefined
  const actions = [{ title: 'Resend', icon: 'refresh', form: <Resend id={id} onChanged={changed} /> }] as const
  return (
    <Dialog title="Webhook" isDrawer onClose={() => change({ delivery: undefined })}>
      <p class="id-line">
        <code>{id}</code> <CopyButton text={id} what="the id" />
      </p>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="the webhook" />}
      {value && may('jobs.write') && <ActionBar actions={actions} />}
      {value && <Parts delivery={value} onWant={want} />}
    </Dialog>
  )
}

type PartsProps = { delivery: DeliveryRecord; onWant: (() => void) | undefined }

function Parts({ delivery, onWant }: PartsProps) {
  const { job_id: job } = delivery
  const projectName = useProjectNames()
  return (
    <>
      <Facts
        of={{
          State: <DeliveryState state={delivery.state} />,
          Receiver: delivery.url,
          'Next attempt': nextAttempt(delivery),
          Error: delivery.last_error,
          Job: <a href={pathWith('/jobs', { job })}>{job}</a>,
          Owner: projectName(delivery.owner),
          Time: moment(delivery.created_at),
          Finished: delivery.settled_at && moment(delivery.settled_at),
          'Signed by': delivery.key_id,
        }}
      />
      <h3>Attempts</h3>
      <DeliveryAttempts attempts={delivery.attempt_list} />
      <SentBytes body={delivery.body} mayRead={delivery.can_read_content} onWant={onWant} />
      <PublicKeys keys={delivery.public_keys} />
    </>
  )
}

function Resend({ id, onChanged }: { id: string; onChanged: () => void }) {
  const [error, setError] = useState<Error>()
  const send = () =>
    sendJson('POST', pathTo('/admin/deliveries/{id}/redeliver', { id })).then(() => {
      toast('The webhook is sent again.')
      onChanged()
    }, setError)
  return (
    <>
      <Failure error={error} />
      <ConfirmStep
        text="Sends the same bytes with the same id, so that the receiver can recognize the repetition."
        sure="Resend webhook"
        onSure={send}
        isHarmless
      />
    </>
  )
}
