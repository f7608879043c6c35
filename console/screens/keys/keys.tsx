import { useMemo, useState } from 'preact/hooks'
import type { UsageReport } from '../../../src/contract/admin/usage.ts'
import type { KeySummary } from '../../../src/contract/keys.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { usePages } from '../../api/use-pages.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ColumnChoice, useColumns } from '../../parts/column-choice.tsx'
import { monthStart } from '../../parts/chart/usage-span.ts'
import { Downloads } from '../../parts/downloads.tsx'
import { Empty } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { PagedTable } from '../../parts/table.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { columnsFor } from './columns.tsx'
import { CreateKey } from './create-key.tsx'
import { KeyDetail } from './key-detail.tsx'

export default function Keys() {
  const { query } = useQuery()
  const [isCreating, setCreating] = useState(false)
  const pages = usePages<KeySummary>('/admin/keys', {})
  const spent = useSpendOfMonth()
  const all = useMemo(() => columnsFor(spent), [spent])
  const { columns, ...choice } = useColumns('keys', all)
  return (
    <>
      <ScreenHead title="Keys">
        <ColumnChoice {...choice} />
        <Downloads path="/admin/keys" query={{}} formats={['csv']} />
        {may('keys.write') && (
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            New key
          </button>
        )}
      </ScreenHead>
      <PagedTable label="Keys" columns={columns} keyOf={({ id }) => id} pages={pages}>
        <NoKeys />
      </PagedTable>
      {isCreating && <CreateKey onClose={() => setCreating(false)} onCreated={pages.reload} />}
      {query.key && !pages.isLoading && (
        <KeyDetail id={query.key} listed={pages.items.find(({ id }) => id === query.key)} onChanged={pages.reload} />
      )}
    </>
  )
}

/** By the id of the key. Undefined until it is known, or if the person may not see it. */
function useSpendOfMonth(): ReadonlyMap<string, number> | undefined {
  const from = useMemo(monthStart, [])
  const path = may('usage.read') ? '/admin/usage' : undefined
  const { value } = useAnswer<UsageReport>(path, { group_by: 'key', from })
  return useMemo(() => value && new Map(value.items.map(({ group, cost }) => [group, cost])), [value])
}

function NoKeys() {
  return (
    <Empty title="There is no key yet">
      <p>Make the first one with the button above, or on the machine of the gateway:</p>
      <CodeBlock label="the command" text="gatehouse keys create --name 'my app'" />
    </Empty>
  )
}
