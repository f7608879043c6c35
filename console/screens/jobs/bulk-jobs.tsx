import { useState } from 'preact/hooks'
import type { Query } from '../../api/client.ts'
import { ConfirmedBulk } from '../../parts/confirmed-bulk.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { moment } from '../../parts/format.ts'
import { FILTER_STATES } from './states.ts'

const ACTIONS = {
  cancel: { verb: 'Cancel', about: 'waiting and running jobs. They end as failed within seconds.' },
  retry: { verb: 'Retry', about: 'failed jobs. Each one runs as a new job and is billed again.' },
  delete: { verb: 'Delete', about: 'finished jobs and their results. This cannot be undone.' },
}
type Action = keyof typeof ACTIONS

type Props = { filter: Query; onClose: () => void; onDone: () => void }

/** Over everything that passes the filter of the screen, not only over what it shows. */
export function BulkJobs({ filter, onClose, onDone }: Props) {
  const [action, setAction] = useState<Action>('retry')
  const { verb, about } = ACTIONS[action]
  return (
    <Dialog title="Bulk actions on all filtered jobs" onClose={onClose}>
      <p class="faint">{inWords(filter)}</p>
      <div class="stack">
        <label>
          Action
          <select value={action} onChange={(event) => setAction(event.currentTarget.value as Action)}>
            {Object.entries(ACTIONS).map(([name, one]) => (
              <option key={name} value={name}>
                {one.verb}
              </option>
            ))}
          </select>
        </label>
        <p>
          {verb} {about}
        </p>
        <ConfirmedBulk
          key={action}
          path="/admin/jobs/bulk"
          body={{ action, filter }}
          verb={verb}
          noun="job"
          onDone={onDone}
        />
      </div>
    </Dialog>
  )
}

function inWords(filter: Query): string {
  const { from, to, status, ...texts } = filter as Record<string, string>
  const time = `Submitted from ${moment(from)}${to ? ` to ${moment(to)}` : ''}`
  const state = status && `state ${(FILTER_STATES as Record<string, string>)[status] ?? status}`
  return [time, state, ...Object.entries(texts).map(([name, text]) => `${name} ${text}`)].filter(Boolean).join(', ')
}
