import type { Alert } from '../../../src/contract/admin/alerts.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { shortMoment } from '../../parts/format.ts'
import { toast } from '../../parts/toast.tsx'

type Props = { of: Alert; people: ReadonlyMap<string, string>; onDone: () => void }

/** Acknowledging an alert shows others who works on it. A resolved alert cannot be acknowledged. */
export function Acknowledge({ of: alert, people, onDone }: Props) {
  const { id, state, summary, acknowledged_at: at, acknowledged_by: by } = alert
  const acknowledge = () =>
    sendJson('POST', pathTo('/admin/alerts/{id}/acknowledge', { id })).then(onDone, (error: Error) =>
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
    <button type="button" class="small" onClick={() => void acknowledge()}>
      Acknowledge<span class="sr-only"> {summary}</span>
    </button>
  )
}
