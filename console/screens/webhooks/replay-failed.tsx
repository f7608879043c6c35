import type { Query } from '../../api/client.ts'
import { ConfirmedBulk } from '../../parts/confirmed-bulk.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { moment } from '../../parts/format.ts'

type Props = { filter: Query; onClose: () => void; onDone: () => void }

/** Everything of the filter that has failed. */
export function ReplayFailed({ filter, onClose, onDone }: Props) {
  const { state: _, last_status: status, ...places } = filter as Record<string, string>
  const { from, to, ...texts } = places
  const limits = Object.entries({ ...texts, ...(status && { 'last status': status }) })
  const words = limits.map(([name, text]) => `${name.replace('_id', '')} ${text}`)
  return (
    <Dialog title="Retry failed webhooks" onClose={onClose}>
      <div class="stack">
        <p>
          {[`Failed, of jobs that ended from ${moment(from)}${to ? ` to ${moment(to)}` : ''}`, ...words].join(', ')}.
          Each one gets the full number of attempts.
        </p>
        <ConfirmedBulk
          path="/admin/deliveries/redeliver"
          body={{ filter: { ...places, ...(status && { last_status: Number(status) }) } }}
          verb="Retry"
          noun="webhook"
          onDone={onDone}
        />
      </div>
    </Dialog>
  )
}
