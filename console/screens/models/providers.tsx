import type { ProviderState } from '../../../src/contract/admin/providers.ts'
import { pathWith } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { count } from '../../parts/format.ts'
import { Failure, Loading } from '../../parts/notice.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { ProviderDetail } from './provider-detail.tsx'
import { missingText, StateOf } from './provider-state.tsx'

/** Those that can be called first, then what the others lack. */
export function Providers() {
  const { query } = useQuery()
  const { value, error, reload } = useAnswer('/admin/providers')
  const opened = value?.items.find(({ id }) => id === query.provider)
  return (
    <>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="providers" />}
      {value && <Table label="Providers" columns={COLUMNS} rows={value.items} keyOf={({ id }) => id} />}
      {opened && <ProviderDetail of={opened} onChanged={reload} />}
    </>
  )
}

const COLUMNS: readonly Column<ProviderState>[] = [
  {
    ...{ name: 'name', title: 'Provider' },
    cell: ({ id, name }) => <a href={pathWith('/models', { provider: id })}>{name}</a>,
  },
  { name: 'id', title: 'Id', cell: ({ id }) => <code>{id}</code> },
  { name: 'state', title: 'State', cell: (provider) => <StateOf of={provider} /> },
  { name: 'missing', title: 'What is missing', cell: missingText },
  {
    ...{ name: 'credentials', title: 'Keys', isNumber: true },
    cell: ({ credentials }) => (credentials.length > 0 ? count(credentials.length) : ''),
  },
  {
    ...{ name: 'models', title: 'Models', isNumber: true },
    cell: ({ id, models }) => <a href={pathWith('/models', { view: 'catalog', provider: id })}>{count(models)}</a>,
  },
]
