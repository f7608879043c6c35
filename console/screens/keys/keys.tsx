import { useMemo, useState } from 'preact/hooks'
import type { QueryName } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { usePages } from '../../api/use-pages.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ColumnChoice, useColumns } from '../../parts/table/column-choice.tsx'
import { Downloads } from '../../parts/downloads.tsx'
import { FilterBar, type FilterField } from '../../parts/filters/filter-bar.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { Empty } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import type { Opens } from '../../parts/table/open-row.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { useProjectNames } from '../../parts/use-names.ts'
import { pick, useDialog, useQuery } from '../../parts/use-query.ts'
import { columnsFor } from './columns.tsx'
import { CreateKey } from './create-key.tsx'
import { KeyDetail } from './key-detail.tsx'
import { RevokeAll } from './revoke-all.tsx'

const STATES = { active: 'Active', expired: 'Expired', revoked: 'Revoked' }
const FIELDS: readonly FilterField<QueryName<'/admin/keys'>>[] = [
  { name: 'name', label: 'Name', placeholder: 'Part of the name' },
  { name: 'state', label: 'State', choices: STATES },
  { name: 'project', label: 'Project', from: 'project', placeholder: 'Name of a project' },
  { name: 'user', label: 'User', from: 'user', placeholder: 'Name of a person' },
]
const NAMES = FIELDS.map(({ name }) => name)

export default function Keys() {
  const { query } = useQuery()
  const projectName = useProjectNames()
  const [isRevoking, setRevoking] = useState(false)
  const create = useDialog('key')
  const filter = pick(query, NAMES)
  const pages = usePages('/admin/keys', filter)
  const { columns, ...choice } = useColumns(
    'keys',
    useMemo(() => columnsFor(projectName), [projectName]),
  )
  const show = (id: string) =>
    !pages.isLoading && <KeyDetail id={id} listed={pages.items.find((key) => key.id === id)} onChanged={pages.reload} />
  const opens: Opens = { as: 'key', show }
  return (
    <>
      <ScreenHead title="Keys">
        <ColumnChoice {...choice} />
        <Downloads path="/admin/keys" query={filter} formats={['csv']} />
        {may('keys.write') && (
          <>
            <button type="button" onClick={() => setRevoking(true)}>
              Revoke all…
            </button>
            <button type="button" class="primary" onClick={create.open}>
              <Icon name="add" /> New key
            </button>
          </>
        )}
      </ScreenHead>
      <FilterBar fields={FIELDS} />
      <PagedTable label="Keys" columns={columns} keyOf={({ id }) => id} pages={pages} noun="key" opens={opens}>
        <NoKeys isFiltered={Object.keys(filter).length > 0} />
      </PagedTable>
      {create.isOpen && may('keys.write') && <CreateKey onClose={create.close} onCreated={pages.reload} />}
      {isRevoking && <RevokeAll filter={filter} onClose={() => setRevoking(false)} onDone={pages.reload} />}
    </>
  )
}

function NoKeys({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No keys match this filter">Remove a filter to see more.</Empty>
  return (
    <Empty title="No keys yet">
      <p>Create the first one with the button above, or on the machine of the gateway:</p>
      <CodeBlock label="the command" text="gatehouse keys create --name 'my app'" />
    </Empty>
  )
}
