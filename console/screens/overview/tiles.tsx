import type { UsageReport } from '../../../src/contract/admin/usage.ts'
import { pathWith } from '../../api/client.ts'
import { change, compact, count, duration, money, share } from '../../parts/format.ts'
import { pick, useQuery } from '../../parts/use-query.ts'
import type { Sums } from './periods.ts'

type Props = { total: UsageReport['total']; before: Sums }
type Tile = { title: string; value: string; note: string; path: string; query?: Record<string, string> }

/** Every number leads to the list that it is the sum of. */
export function Tiles({ total, before }: Props) {
  const { query } = useQuery()
  const time = pick(query, ['from', 'to'])
  const last = { last: query.last ?? (query.from ? '' : '24h') }
  return (
    <ul class="tiles">
      {tilesOf(total, before).map((tile) => (
        <li key={tile.title}>
          <a href={pathWith(tile.path, { ...time, ...last, ...tile.query })}>
            <span class="title">{tile.title}</span>
            <span class="value">{tile.value}</span>
            <span class="note">{tile.note}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

function tilesOf(total: Props['total'], before: Sums): Tile[] {
  const { p50, p95 } = total.latency_ms
  const unpriced = total.unpriced_requests > 0 ? `, ${count(total.unpriced_requests)} without a price` : ''
  const rate = (sums: Pick<Sums, 'failed_requests' | 'requests'>) =>
    sums.requests > 0 ? share(sums.failed_requests / sums.requests) : '–'
  return [
    { title: 'Spend', value: money(total.cost), note: `${than(total.cost, before.cost)}${unpriced}`, path: '/usage' },
    {
      title: 'Requests',
      value: compact(total.requests),
      note: than(total.requests, before.requests),
      path: '/requests',
    },
    {
      ...{ title: 'Failed', value: rate(total), note: `${count(total.failed_requests)} calls, ${rate(before)} before` },
      ...{ path: '/requests', query: { failed: 'true' } },
    },
    {
      ...{ title: 'Tokens', value: compact(total.total_tokens), note: than(total.total_tokens, before.total_tokens) },
      ...{ path: '/usage', query: { metric: 'tokens' } },
    },
    {
      ...{ title: 'Duration, 95 %', value: duration(p95), note: `half within ${duration(p50)}` },
      ...{ path: '/usage', query: { metric: 'p95' } },
    },
  ]
}

function than(now: number, before: number): string {
  const difference = change(now, before)
  return difference === undefined ? 'nothing before' : `${difference} against before`
}
