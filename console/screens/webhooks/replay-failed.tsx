import type { Query } from '../../api/client.ts'
import { ConfirmedBulk } from '../../parts/confirmed-bulk.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { moment } from '../../parts/format.ts'

type Props = { filter: Query; onClose: () => void; onDone: () => void }

/** The filter of the screen has more than what the API can send again by: a state, a status and a job. */
export function ReplayFailed({ filter, onClose, onDone }: Props) {
  const { state: _, last_status: status, job_id: job, ...places } = filter as Record<string, string>
  const { from, to, ...texts } = places
  const limits = Object.entries(texts).map(([name, text]) => `${name} ${text}`)
  return (
    <Dialog title="Send failed webhooks again" onClose={onClose}>
      <div class="stack">
        <p>
          {[`Failed, of jobs that ended from ${moment(from)}${to ? ` to ${moment(to)}` : ''}`, ...limits].join(', ')}.
          Each gets a full set of attempts.
        </p>
        {(status || job) && (
          <p class="notice">
            The filters for the last status and for the job do not apply here: all failed ones are sent.
          </p>
        )}
        <ConfirmedBulk
          path="/admin/deliveries/redeliver"
          body={{ filter: places }}
          verb="Send again"
          noun="webhook"
          onDone={onDone}
        />
      </div>
    </Dialog>
  )
}
