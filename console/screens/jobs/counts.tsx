import type { JobCounts } from '../../../src/contract/admin/jobs.ts'
import { pathWith } from '../../api/client.ts'
import { count } from '../../parts/format.ts'
import { useQuery } from '../../parts/use-query.ts'
import { FILTER_STATES } from './states.ts'

const TILES = { total: 'All', ...FILTER_STATES }
const SHOWN = ['total', 'queued', 'running', 'success', 'fail'] as const

/** How many jobs of the filter are in each state. Each number leads to them. */
export function Counts({ counts }: { counts: JobCounts }) {
  const { query } = useQuery()
  const { job: _, ...filter } = query
  const pathOf = (state: string) => pathWith('/jobs', { ...filter, status: state === 'total' ? undefined : state })
  return (
    <ul class="tiles">
      {SHOWN.map((state) => (
        <li key={state}>
          <a href={pathOf(state)} aria-current={(query.status ?? 'total') === state ? 'true' : undefined}>
            <span class="title">{TILES[state]}</span>
            <span class="value">{count(counts[state])}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}
