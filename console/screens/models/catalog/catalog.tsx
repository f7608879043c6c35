import { useMemo, useState } from 'preact/hooks'
import type { QueryName } from '../../../api/client.ts'
import { may } from '../../../api/session.ts'
import { usePages } from '../../../api/use-pages.ts'
import { ColumnChoice, useColumns } from '../../../parts/table/column-choice.tsx'
import { type FilterField, FilterBar } from '../../../parts/filters/filter-bar.tsx'
import { Empty } from '../../../parts/notice.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { pick, useQuery } from '../../../parts/use-query.ts'
import { TryModel } from '../try-model.tsx'
import { CAPABILITY_NAMES, columnsFor } from './catalog-columns.tsx'

const TYPES = {
  chat: 'Chat',
  embedding: 'Embeddings',
  image: 'Images',
  speech: 'Speech',
  transcription: 'Transcription',
  moderation: 'Moderation',
  rerank: 'Rerank',
  responses: 'Responses',
  video: 'Video',
}
const CONTEXTS = {
  '32000': '32K and more',
  '128000': '128K and more',
  '200000': '200K and more',
  '1000000': '1M and more',
}
const FIELDS: readonly FilterField<QueryName<'/admin/models'>>[] = [
  { name: 'capability', label: 'Capability', choices: CAPABILITY_NAMES },
  { name: 'type', label: 'Type', choices: TYPES },
  { name: 'min_context', label: 'Context', choices: CONTEXTS },
  { name: 'project', label: 'Callable in project', from: 'project', placeholder: 'Name of a project' },
]
const OF_OPERATORS: readonly FilterField<QueryName<'/admin/models'>>[] = [
  { name: 'configured', label: 'Callable', choices: { true: 'Yes', false: 'No' } },
  { name: 'provider', label: 'Provider', from: 'any_provider', placeholder: 'openai' },
]
const NAMES = [...FIELDS, ...OF_OPERATORS].map(({ name }) => name)

/** Models with prices and abilities, found by name. What can be called comes first. */
export function Catalog() {
  const { query, change } = useQuery()
  const [tried, setTried] = useState<string>()
  const search = query.search ?? ''
  const pages = usePages('/admin/models', { ...pick(query, NAMES), name: search, order: 'popular' })
  const all = useMemo(() => columnsFor(setTried), [])
  const { columns, ...choice } = useColumns('models', all)
  const fields = useMemo(() => (may('config.read') ? [...OF_OPERATORS, ...FIELDS] : FIELDS), [])
  return (
    <>
      <div class="search-line">
        <label>
          Search models
          <input
            type="search"
            placeholder="gpt, claude, llama, embed…"
            value={search}
            onInput={(event) => change({ search: event.currentTarget.value }, true)}
          />
        </label>
        <FilterBar fields={fields} />
        <div class="actions">
          <ColumnChoice {...choice} />
        </div>
      </div>
      <PagedTable label="Models" columns={columns} keyOf={({ id }) => id} pages={pages} noun="model">
        <Empty title="No models match">
          <p>
            {may('config.read')
              ? 'Remove a filter to see more of the catalog.'
              : 'Remove a filter, or ask an admin which models your projects may use.'}
          </p>
        </Empty>
      </PagedTable>
      {tried && <TryModel model={tried} onClose={() => setTried(undefined)} />}
    </>
  )
}
