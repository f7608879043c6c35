import type { AgentSessionRecord } from '../../../src/contract/admin/agent-sessions.ts'
import { pathWith } from '../../api/client.ts'
import { count, money, shortMoment } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'
import type { Column } from '../../parts/table/column.ts'
import { Table } from '../../parts/table/table.tsx'

type Turn = AgentSessionRecord['turns'][number] & { sum: number }

/** The calls of a session in their order, and what it had cost after each of them. */
export function Turns({ session: { turns, requests, cost } }: { session: AgentSessionRecord }) {
  let sum = cost - turns.reduce((shown, turn) => shown + (turn.cost ?? 0), 0)
  const rows = turns.toReversed().map((turn): Turn => {
    sum += turn.cost ?? 0
    return { ...turn, sum: Math.max(0, sum) }
  })
  return (
    <>
      {requests > turns.length && (
        <p class="faint">
          The last {count(turns.length)} of {count(requests)} requests.
        </p>
      )}
      <Table label="Requests of the session" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
    </>
  )
}

const COLUMNS: readonly Column<Turn>[] = [
  { name: 'at', title: 'Time', cell: (turn) => <RequestLink to={turn} /> },
  { name: 'model', title: 'Model', isMain: true, cell: ({ model }) => model || 'none' },
  { name: 'agent', title: 'Agent', cell: ({ agent }) => agent },
  { name: 'status', title: 'Status', cell: ({ status, code }) => <Status status={status} code={code} /> },
  {
    name: 'tokens',
    title: 'Tokens',
    isNumber: true,
    cell: ({ prompt_tokens: read, completion_tokens: written }) => count(read + written),
  },
  { name: 'cost', title: 'Cost', isNumber: true, cell: ({ cost, estimated }) => money(cost, estimated) },
  { name: 'sum', title: 'Total cost', isNumber: true, cell: (turn) => money(turn.sum) },
]

function RequestLink({ to: { id, at, session } }: { to: Turn }) {
  return <a href={pathWith('/requests', { session: session ?? '', last: '30d', call: id })}>{shortMoment(at)}</a>
}
