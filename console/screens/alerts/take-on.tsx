import type { Alert } from '../../../src/contract/admin/alerts.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { shortMoment } from '../../parts/format.ts'
import { toast } from '../../parts/toast.tsx'

type Props = { of: Alert; people: ReadonlyMap<string, string>; onTaken: () => void }

/** Acknowledging an alert shows others who works on it. An alert that is over cannot be acknowledged. */
export function TakeOn({ of: alert, people, onTaken }: Props) {
  const { id, state, summary, acknowledged_at: at, acknowledged_by: by } = alert
  const take = () =>
    sendJson('POST', pathTo('/admin/alerts/{id}/acknowledge', { id })).then(onTaken, (error: Error) =>
      toast(error.message, 'bad'),
    )
  if (at && by)
    return (
      <span>
        {people.get(by) ?? by} <small>{shortMoment(at)}</small>
      </span>
    )
  if (state !== 'open' || !may('alerts.write')) return null
  return (
    <button type="button" class="small" onClick={() => void take()}>
      Take on<span class="sr-only"> {summary}</span>
    </button>
  )
}
