import type { Alert } from '../../../src/contract/admin/alerts.ts'
import { may } from '../../api/session.ts'
import { CopyButton } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { moment } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'
import { useQuery } from '../../parts/use-query.ts'

type Props = { of: Alert; columns: readonly Column<Alert>[] }

/** Everything that is known of an alert. What its details are depends on the rule. */
export function AlertDetail({ of: alert, columns }: Props) {
  const { change } = useQuery()
  const shown = columns
    .filter(({ name }) => name !== 'summary' && (name !== 'acknowledged' || hasAcknowledgement(alert)))
    .map(({ title, cell, tip }) => [title, tip?.(alert) || cell(alert)])
  const details = Object.entries(alert.details)
    .filter(([name]) => !(`${name}_name` in alert.details))
    .map(([name, value]) => [titleOf(name), textOf(name, value)])
  return (
    <Dialog title={alert.summary} isDrawer onClose={() => change({ alert: undefined })}>
      <p class="id-line">
        <code>{alert.id}</code> <CopyButton text={alert.id} what="the id" />
      </p>
      <Facts of={Object.fromEntries(shown)} />
      {details.length > 0 && <h3>Details</h3>}
      <Facts of={Object.fromEntries(details)} />
    </Dialog>
  )
}

/** Who has taken it on, or a button for those who may. */
function hasAcknowledgement({ acknowledged_at: at, state }: Alert): boolean {
  return at !== null || (state === 'open' && may('alerts.write'))
}

/** `key_name` → `Key name`. An id whose name is known is left out. */
function titleOf(name: string): string {
  const text = name.replace(/_(name|at)$/, '').replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function textOf(name: string, value: unknown): string {
  if (name.endsWith('_at') && typeof value === 'string') return moment(value)
  if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 4 })
  return typeof value === 'string' ? value : JSON.stringify(value)
}
