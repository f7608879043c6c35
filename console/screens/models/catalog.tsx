import { useMemo, useState } from 'preact/hooks'
import type { QueryName } from '../../api/client.ts'
import { usePages } from '../../api/use-pages.ts'
import { ColumnChoice, useColumns } from '../../parts/table/column-choice.tsx'
import { type FilterField, FilterBar } from '../../parts/filters/filter-bar.tsx'
import { Empty } from '../../parts/notice.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { pick, useQuery } from '../../parts/use-query.ts'
import { columnsFor } from './catalog-columns.tsx'
import { TryModel } from './try-model.tsx'

const FIELDS: readonly FilterField<QueryName<'/admin/models'>>[] = [
  { name: 'name', label: 'Name', placeholder: 'part of the name' },
  { name: 'configured', label: 'Can be called', choices: { true: 'Yes', false: 'No' } },
  { name: 'provider', label: 'Provider', from: 'any_provider', placeholder: 'openai' },
  { name: 'type', label: 'Type', placeholder: 'chat' },
]
const NAMES = FIELDS.map(({ name }) => name)

/** Models with their prices, what was measured, and who may use them. */
export function Catalog() {
  const { query } = useQuery()
  const [tried, setTried] = useState<string>()
  const pages = usePages('/admin/models', pick(query, NAMES))
  const all = useMemo(() => columnsFor(setTried), [])
  const { columns, ...choice } = useColumns('models', all)
  return (
    <>
      <div class="section-head">
        <FilterBar fields={FIELDS} />
        <ColumnChoice {...choice} />
      </div>
      <PagedTable label="Models" columns={columns} keyOf={({ id }) => id} pages={pages}>
        <Empty title="No model passes this filter">Remove a filter to see more of the catalog.</Empty>
      </PagedTable>
      {tried && <TryModel model={tried} onClose={() => setTried(undefined)} />}
    </>
  )
}
