import { useMemo, useState } from 'preact/hooks'
import type { QueryName } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { usePages } from '../../api/use-pages.ts'
import { ColumnChoice, useColumns } from '../../parts/table/column-choice.tsx'
import { FilterBar, type FilterField } from '../../parts/filters/filter-bar.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { apiUrl } from '../../api/api-url.ts'
import { callCommand } from '../../api/call-command.ts'
import { Downloads } from '../../parts/downloads.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { Empty, Failure } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import type { Opens } from '../../parts/table/open-row.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { TimeRange, useSpan } from '../../parts/time-range.tsx'
import { useProjectNames } from '../../parts/use-names.ts'
import { pick, useQuery } from '../../parts/use-query.ts'
import { BulkJobs } from './bulk-jobs.tsx'
import { columnsFor } from './columns.tsx'
import { Counts } from './counts.tsx'
import { JobDetail } from './job-detail.tsx'
import { FILTER_STATES } from './states.ts'

const PATH = '/admin/jobs'
const FIELDS: readonly FilterField<QueryName<'/admin/jobs'>>[] = [
  { name: 'status', label: 'State', choices: FILTER_STATES },
  { name: 'project', label: 'Project', from: 'project', placeholder: 'Name of a project' },
  { name: 'feature', label: 'Feature', placeholder: 'ocr' },
  { name: 'subfeature', label: 'Subfeature' },
  { name: 'provider', label: 'Provider', placeholder: 'amazon' },
  { name: 'owner', label: 'Owner', from: 'owner' },
]
const NAMES = FIELDS.map(({ name }) => name)

export default function Jobs() {
  const { query } = useQuery()
  const projectName = useProjectNames()
  const [isActing, setActing] = useState(false)
  const picked = pick(query, NAMES)
  const filter = { ...useSpan(query, '7d'), ...picked }
  const pages = usePages(PATH, filter)
  const { status: _, ...anyState } = filter as typeof filter & { status?: string }
  const counts = useAnswer(`${PATH}/counts`, anyState)
  const { columns, ...choice } = useColumns(
    'jobs',
    useMemo(() => columnsFor(projectName), [projectName]),
  )
  const reload = () => {
    pages.reload()
    counts.reload()
  }
  const opens: Opens = { as: 'job', show: (id) => <JobDetail id={id} onChanged={reload} /> }
  return (
    <>
      <ScreenHead title="Jobs">
        <button type="button" onClick={reload}>
          <Icon name="refresh" /> Refresh
        </button>
        <ColumnChoice {...choice} />
        <Downloads path={PATH} query={filter} formats={['csv']} />
        {may('jobs.write') && (
          <button type="button" onClick={() => setActing(true)}>
            Bulk actions…
          </button>
        )}
      </ScreenHead>
      <FilterBar fields={FIELDS}>
        <TimeRange usual="7d" />
      </FilterBar>
      <Failure error={counts.error} onRetry={counts.reload} />
      {counts.value && <Counts counts={counts.value} />}
      <PagedTable label="Jobs" columns={columns} keyOf={({ id }) => id} pages={pages} noun="job" opens={opens}>
        <Nothing isFiltered={Object.keys(picked).length > 0} />
      </PagedTable>
      {isActing && <BulkJobs filter={filter} onClose={() => setActing(false)} onDone={reload} />}
    </>
  )
}

const TASK = { model: 'text/moderation/sandbox', input: { text: 'Hello, gatehouse!' } }

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No jobs match this filter">Remove a filter, or choose a longer time.</Empty>
  return (
    <Empty title="No jobs in this time">
      <p>Choose a longer time, or submit one. The sandbox needs no provider and costs nothing:</p>
      <CodeBlock label="the command" text={callCommand(`${apiUrl()}/v3/universal-ai/async`, JSON.stringify(TASK))} />
    </Empty>
  )
}
