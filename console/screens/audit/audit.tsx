import { useMemo } from 'preact/hooks'
import type { QueryName } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { usePages } from '../../api/use-pages.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ColumnChoice, useColumns } from '../../parts/table/column-choice.tsx'
import { Downloads } from '../../parts/downloads.tsx'
import { FilterBar, type FilterField } from '../../parts/filters/filter-bar.tsx'
import { Empty } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import type { Opens } from '../../parts/table/open-row.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { TimeRange, useSpan } from '../../parts/time-range.tsx'
import { useNames } from '../../parts/use-names.ts'
import { pick, useQuery } from '../../parts/use-query.ts'
import { columnsFor } from './columns.tsx'
import { EntryDetail } from './entry-detail.tsx'

const PATH = '/admin/audit'
const FIELDS: readonly FilterField<QueryName<'/admin/audit'>>[] = [
  { name: 'actor', label: 'Actor', from: 'actor', placeholder: 'Name, admin_key or cli' },
  { name: 'action', label: 'Action', placeholder: 'key.create' },
  { name: 'object', label: 'Object', placeholder: 'key:id' },
]
const NAMES = FIELDS.map(({ name }) => name)

export default function Audit() {
  const { query } = useQuery()
  const picked = pick(query, NAMES)
  const filter = { ...useSpan(query, '7d'), ...picked }
  const pages = usePages(PATH, filter)
  const names = useNames()
  const all = useMemo(() => columnsFor(names), [names])
  const { columns, ...choice } = useColumns('audit', all)
  const opens: Opens = {
    as: 'entry',
    show: (seq) => !pages.isLoading && <EntryDetail seq={Number(seq)} entries={pages.items} names={names} />,
  }
  return (
    <>
      <ScreenHead title="Audit">
        <ColumnChoice {...choice} />
        {may('audit.export') && <Downloads path={PATH} query={filter} formats={['csv', 'jsonl']} />}
      </ScreenHead>
      <FilterBar fields={FIELDS}>
        <TimeRange usual="7d" />
      </FilterBar>
      <PagedTable
        label="Audit"
        columns={columns}
        keyOf={({ seq }) => String(seq)}
        pages={pages}
        noun="entry"
        opens={opens}
      >
        <Empty title="No entries match this filter">
          <p>Remove a filter, or choose a longer time.</p>
        </Empty>
      </PagedTable>
      <Verification />
    </>
  )
}

/** The console shows what the database says. Whether that was changed, only a check against signed checkpoints can tell. */
function Verification() {
  return (
    <details>
      <summary>Verify the log</summary>
      <p>
        Each entry has the hash of the one before it, and signed checkpoints leave the gateway. This command checks the
        whole chain, and the checkpoints that you have kept elsewhere:
      </p>
      <CodeBlock label="the command" text="gatehouse audit verify --checkpoint checkpoints.jsonl" />
    </details>
  )
}
