import type { UsageReport } from '../../../src/contract/admin/usage.ts'
import { pathWith } from '../../api/client.ts'
import { compact } from '../../parts/format.ts'
import { knownCost } from '../../parts/chart/metrics.ts'
import { pick, useQuery } from '../../parts/use-query.ts'

const SHOWN = 5

/** Calls that no model answered are in the other numbers. */
export function TopModels({ report }: { report: UsageReport }) {
  const { query } = useQuery()
  const top = report.items
    .filter(({ group }) => group !== '')
    .toSorted((one, other) => other.cost - one.cost || other.requests - one.requests)
  const most = Math.max(top[0]?.cost ?? 0, Number.MIN_VALUE)
  return (
    <section class="panel">
      <h2>Models by spend</h2>
      <ul class="ranking">
        {top.slice(0, SHOWN).map((item) => (
          <li key={item.group}>
            <a href={pathWith('/usage', { ...pick(query, ['last', 'from', 'to']), model: item.group })}>{item.group}</a>
            <span class="amount">{knownCost(item)}</span>
            <meter min={0} max={1} value={item.cost / most} aria-hidden="true" />
            <small>{item.requests === 1 ? '1 request' : `${compact(item.requests)} requests`}</small>
          </li>
        ))}
      </ul>
    </section>
  )
}
