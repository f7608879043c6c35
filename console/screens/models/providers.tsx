import type { ProviderState } from '../../../src/contract/admin/providers.ts'
import { pathWith } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { count } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import type { Column } from '../../parts/table/column.ts'
import { Table } from '../../parts/table/table.tsx'
import { ProviderDetail } from './provider-detail.tsx'
import { missingText, StateOf } from './provider-state.tsx'

/** Those that can be called first, then what the others lack. */
export function Providers() {
  const { value, error, reload } = useAnswer('/admin/providers')
  const show = (wanted: string) => {
    const found = value?.items.find(({ id }) => id === wanted)
    return found && <ProviderDetail of={found} onChanged={reload} />
  }
  return (
    <>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="providers" />}
      {value && (
        <Table
          label="Providers"
          columns={COLUMNS}
          rows={value.items}
          keyOf={({ id }) => id}
          opens={{ as: 'provider', show }}
        />
      )}
    </>
  )
}

const COLUMNS: readonly Column<ProviderState>[] = [
  { name: 'name', title: 'Provider', sort: ({ name }) => name, cell: ({ name }) => name },
  { name: 'id', title: 'Id', isMinor: true, sort: ({ id }) => id, cell: ({ id }) => <code>{id}</code> },
  {
    name: 'state',
    title: 'State',
    sort: ({ configured }) => configured,
    cell: (provider) => <StateOf of={provider} />,
  },
  { name: 'missing', title: 'What is missing', sort: missingText, cell: missingText },
  {
    ...{ name: 'credentials', title: 'Keys', isNumber: true, sort: ({ credentials }) => credentials.length },
    cell: ({ credentials }) => (credentials.length > 0 ? count(credentials.length) : ''),
  },
  {
    ...{ name: 'models', title: 'Models', isNumber: true, isControl: true, sort: ({ models }) => models },
    cell: ({ id, models }) => <a href={pathWith('/models', { view: 'catalog', provider: id })}>{count(models)}</a>,
  },
]
