import { useMemo } from 'preact/hooks'
import { apiUrl } from '../../api/api-url.ts'
import { callCommand } from '../../api/call-command.ts'
import type { QueryName } from '../../api/client.ts'
import { usePages } from '../../api/use-pages.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Downloads } from '../../parts/downloads.tsx'
import { FilterBar, type FilterField } from '../../parts/filters/filter-bar.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { Empty } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { ColumnChoice, useColumns } from '../../parts/table/column-choice.tsx'
import type { Opens } from '../../parts/table/open-row.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { TimeRange, useSpan } from '../../parts/time-range.tsx'
import { useProjectNames } from '../../parts/use-names.ts'
import { pick, useQuery } from '../../parts/use-query.ts'
import { BatchDetail } from './batch-detail.tsx'
import { columnsFor } from './columns.tsx'
import { FILTER_STATES } from './states.ts'

const PATH = '/admin/batches'
const FIELDS: readonly FilterField<QueryName<'/admin/batches'>>[] = [
  { name: 'status', label: 'State', choices: FILTER_STATES },
  { name: 'project', label: 'Project', from: 'project', placeholder: 'Name of a project' },
  { name: 'key', label: 'Key', from: 'key', placeholder: 'Name of a key' },
]
const NAMES = FIELDS.map(({ name }) => name)

export default function Batches() {
  const { query } = useQuery()
  const projectName = useProjectNames()
  const picked = pick(query, NAMES)
  const filter = { ...useSpan(query, '7d'), ...picked }
  const pages = usePages(PATH, filter)
  const { columns, ...choice } = useColumns(
    'batches',
    useMemo(() => columnsFor(projectName), [projectName]),
  )
  const opens: Opens = { as: 'batch', show: (id) => <BatchDetail id={id} onChanged={pages.reload} /> }
  return (
    <>
      <ScreenHead title="Batches">
        <button type="button" onClick={pages.reload}>
          <Icon name="refresh" /> Refresh
        </button>
        <ColumnChoice {...choice} />
        <Downloads path={PATH} query={filter} formats={['csv']} />
      </ScreenHead>
      <FilterBar fields={FIELDS}>
        <TimeRange usual="7d" />
      </FilterBar>
      <PagedTable label="Batches" columns={columns} keyOf={({ id }) => id} pages={pages} noun="batch" opens={opens}>
        <Nothing isFiltered={Object.keys(picked).length > 0} />
      </PagedTable>
    </>
  )
}

const REQUESTS = {
  endpoint: '/v3/chat/completions',
  requests: [
    { custom_id: 'one', body: { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello, gatehouse!' }] } },
  ],
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No batches match this filter">Remove a filter, or choose a longer time.</Empty>
  return (
    <Empty title="No batches in this time">
      <p>Choose a longer time, or submit one. The sandbox needs no provider and costs nothing:</p>
      <CodeBlock label="the command" text={callCommand(`${apiUrl()}/v3/batches`, JSON.stringify(REQUESTS))} />
    </Empty>
  )
}
