import type { AgentSessionRecord } from '../../../src/contract/admin/agent-sessions.ts'
import { pathWith } from '../../api/client.ts'
import { count, money, shortMoment } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'

/** The calls of a session in their order, and what it had cost after each of them. */
export function Turns({ session: { turns, requests, cost } }: { session: AgentSessionRecord }) {
  const inOrder = turns.toReversed()
  const shown = turns.reduce((sum, turn) => sum + (turn.cost ?? 0), 0)
  let sum = cost - shown
  const rows = inOrder.map((turn) => {
    sum += turn.cost ?? 0
    return { turn, sum }
  })
  return (
    <>
      {requests > turns.length && (
        <p class="faint">
          The last {count(turns.length)} of {count(requests)} requests.
        </p>
      )}
      <div class="table-box">
        <table aria-label="Requests of the session">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Model</th>
              <th scope="col">Agent</th>
              <th scope="col">Status</th>
              <th scope="col">Tokens</th>
              <th scope="col">Cost</th>
              <th scope="col">Total cost</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ turn, sum }) => (
              <tr key={turn.id}>
                <td>
                  <a href={pathWith('/requests', { session: turn.session ?? '', last: '30d', call: turn.id })}>
                    {shortMoment(turn.at)}
                  </a>
                </td>
                <td>{turn.model || 'none'}</td>
                <td>{turn.agent}</td>
                <td>
                  <Status status={turn.status} code={turn.code} />
                </td>
                <td class="number">{count(turn.prompt_tokens + turn.completion_tokens)}</td>
                <td class="number">{money(turn.cost, turn.estimated)}</td>
                <td class="number">{money(Math.max(0, sum))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
