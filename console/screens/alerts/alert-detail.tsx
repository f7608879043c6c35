import type { Alert } from '../../../src/contract/admin/alerts.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import type { Column } from '../../parts/table/column.ts'
import { useQuery } from '../../parts/use-query.ts'

type Props = { of: Alert; columns: readonly Column<Alert>[] }

/** Everything that is known of an alert. What its details are depends on the rule. */
export function AlertDetail({ of: alert, columns }: Props) {
  const { change } = useQuery()
  const shown = columns.filter(({ name }) => name !== 'summary').map(({ title, cell }) => [title, cell(alert)])
  const details = Object.entries(alert.details).map(([name, value]) => [name, textOf(value)])
  return (
    <Dialog title={alert.summary} isDrawer onClose={() => change({ alert: undefined })}>
      <Facts of={Object.fromEntries(shown)} />
      {details.length > 0 && <h3>Details</h3>}
      <Facts of={Object.fromEntries(details)} />
      <p class="id-line">
        <code>{alert.id}</code>
      </p>
    </Dialog>
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
