import type { QueryName } from '../../api/client.ts'
import { usePages } from '../../api/use-pages.ts'
import { ColumnChoice, useColumns } from '../../parts/table/column-choice.tsx'
import { Downloads } from '../../parts/downloads.tsx'
import { FilterBar, type FilterField } from '../../parts/filters/filter-bar.tsx'
import { FirstCall } from '../../parts/first-call.tsx'
import { LINE_FILTER_FIELDS } from '../../parts/filters/line-filter-fields.ts'
import { Empty } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import type { Opens } from '../../parts/table/open-row.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { TimeRange, useSpan } from '../../parts/time-range.tsx'
import { pick, useQuery } from '../../parts/use-query.ts'
import { CallDetail } from './call-detail.tsx'
import { COLUMNS } from './columns.tsx'
import { LiveTail } from './live-tail.tsx'

const PATH = '/admin/requests'
/** As many as a large screen shows: 100 of them are more than all scripts of the first load. */
const ROWS_AT_A_TIME = 50
const FIELDS: readonly FilterField<QueryName<'/admin/requests'>>[] = [
  ...LINE_FILTER_FIELDS,
  { name: 'id', label: 'Request ID', placeholder: 'x-request-id' },
  { name: 'upstream_id', label: 'Provider request ID' },
]
const OPENS: Opens = { as: 'call', show: (id) => <CallDetail id={id} /> }
const NAMES = FIELDS.map(({ name }) => name)

export default function Requests() {
  const { query } = useQuery()
  const picked = pick(query, NAMES)
  const filter = { ...useSpan(query, '24h'), ...picked }
  const pages = usePages(PATH, { ...filter, limit: ROWS_AT_A_TIME })
  const { columns, ...choice } = useColumns('requests', COLUMNS)
  return (
    <>
      <ScreenHead title="Requests">
        <LiveTail filter={picked} onRequest={pages.prepend} />
        <ColumnChoice {...choice} />
        <Downloads path={PATH} query={filter} formats={['csv', 'jsonl']} />
      </ScreenHead>
      <FilterBar fields={FIELDS}>
        <TimeRange usual="24h" />
      </FilterBar>
      <PagedTable label="Requests" columns={columns} keyOf={({ id }) => id} pages={pages} noun="request" opens={OPENS}>
        <Nothing isFiltered={Object.keys(picked).length > 0} />
      </PagedTable>
    </>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No requests match this filter">Remove a filter, or choose a longer time.</Empty>
  return (
    <Empty title="No requests in this time">
      <p>Choose a longer time, or send one. The sandbox needs no provider and costs nothing:</p>
      <FirstCall />
    </Empty>
  )
}
