import { usePages } from '../../api/use-pages.ts'
import { FilterBar } from '../../parts/filters/filter-bar.tsx'
import { LINE_FILTER_FIELDS } from '../../parts/filters/line-filter-fields.ts'
import { Empty } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { ColumnChoice, useColumns } from '../../parts/table/column-choice.tsx'
import type { Opens } from '../../parts/table/open-row.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { TimeRange, useSpan } from '../../parts/time-range.tsx'
import { pick, useQuery } from '../../parts/use-query.ts'
import { COLUMNS } from './columns.tsx'
import { SessionDetail } from './session-detail.tsx'

const PATH = '/admin/agent-sessions'
const OPENS: Opens = { as: 'open', show: (id) => <SessionDetail id={id} /> }
const NAMES = LINE_FILTER_FIELDS.map(({ name }) => name)

/** Sessions of agents: calls that name the same session, added up. */
export default function AgentSessions() {
  const { query } = useQuery()
  const picked = pick(query, NAMES)
  const pages = usePages(PATH, { ...useSpan(query, '7d'), ...picked })
  const { columns, ...choice } = useColumns('agent-sessions', COLUMNS)
  return (
    <>
      <ScreenHead title="Agent sessions">
        <ColumnChoice {...choice} />
      </ScreenHead>
      <FilterBar fields={LINE_FILTER_FIELDS}>
        <TimeRange usual="7d" />
      </FilterBar>
      <PagedTable label="Sessions" columns={columns} keyOf={({ id }) => id} pages={pages} noun="session" opens={OPENS}>
        <Empty title="No sessions in this time">
          <p>
            Claude Code, Codex, opencode and other agents name their sessions. Your own programs name a session with the
            header <code>x-session-id</code>.
          </p>
        </Empty>
      </PagedTable>
    </>
  )
}
