import type { Overview } from '../../../src/contract/admin/overview.ts'
import { pathWith } from '../../api/client.ts'
import { count } from '../../parts/format.ts'
import { pick, useQuery } from '../../parts/use-query.ts'

/** Counts of failures that have no panel of their own on this screen. Every number leads to its list. */
export function NeedsAttention({ needs }: { needs: Overview }) {
  const { query } = useQuery()
  const time = { ...pick(query, ['from', 'to']), last: query.last ?? (query.from ? undefined : '24h') }
  const rows = [
    { title: 'Failed jobs', amount: needs.failed_jobs, path: pathWith('/jobs', { ...time, status: 'fail' }) },
    {
      title: 'Failed webhooks',
      amount: needs.failed_webhooks,
      path: pathWith('/webhooks', { ...time, state: 'failed' }),
    },
    { title: 'Open alerts', amount: needs.open_alerts, path: pathWith('/alerts', { state: 'open', last: '90d' }) },
  ].filter(({ amount }) => amount !== null)
  if (rows.length === 0) return null
  return (
    <section class="panel">
      <h2>Needs attention</h2>
      <ul class="ranking">
        {rows.map(({ title, amount, path }) => (
          <li key={title}>
            <a href={path}>{title}</a>
            <span class={`amount status ${amount ? 'bad' : 'good'}`}>{count(amount)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
