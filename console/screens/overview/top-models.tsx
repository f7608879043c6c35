import type { UsageReport } from '../../../src/contract/admin/usage.ts'
import { pathWith } from '../../api/client.ts'
import { compact, money } from '../../parts/format.ts'
import { pick, useQuery } from '../../parts/use-query.ts'

const SHOWN = 7

export function TopModels({ report }: { report: UsageReport }) {
  const { query } = useQuery()
  const top = report.items.toSorted((one, other) => other.cost - one.cost || other.requests - one.requests)
  const most = Math.max(top[0]?.cost ?? 0, Number.MIN_VALUE)
  return (
    <section class="panel">
      <h2>Models by spend</h2>
      <ul class="ranking">
        {top.slice(0, SHOWN).map(({ group, cost, requests }) => (
          <li key={group}>
            <a href={pathWith('/usage', { ...pick(query, ['last', 'from', 'to']), model: group })}>{group || 'none'}</a>
            <span class="amount">{money(cost)}</span>
            <meter min={0} max={1} value={cost / most} aria-hidden="true" />
            <small>{requests === 1 ? '1 call' : `${compact(requests)} calls`}</small>
          </li>
        ))}
      </ul>
    </section>
  )
}
