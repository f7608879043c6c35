import type { KeySummary } from '../../../src/contract/admin/keys.ts'
import { pathWith } from '../../api/client.ts'
import { money, moment, shortMoment } from '../../parts/format.ts'
import type { Column } from '../../parts/table.tsx'
import { useQuery } from '../../parts/use-query.ts'

export const COLUMNS: readonly Column<KeySummary>[] = [
  { name: 'name', title: 'Name', cell: (key) => <OpenLink of={key} /> },
  { name: 'state', title: 'State', cell: (key) => <KeyState of={key} /> },
  { name: 'project', title: 'Project', cell: ({ project }) => project },
  { name: 'kind', title: 'Kind', cell: ({ kind }) => kind },
  { name: 'scopes', title: 'May use', cell: ({ scopes }) => scopesText(scopes) },
  {
    name: 'spent',
    title: 'Spent this month',
    isNumber: true,
    cell: ({ month_cost }) => (month_cost === undefined ? '' : money(month_cost)),
  },
  {
    name: 'used',
    title: 'Last used',
    cell: ({ last_used_at }) => (last_used_at ? shortMoment(last_used_at) : 'never'),
  },
  { name: 'expires', title: 'Expires', cell: ({ expires_at }) => (expires_at ? shortMoment(expires_at) : 'never') },
  { name: 'last4', title: 'Ends with', cell: ({ last4 }) => <code>…{last4}</code> },
  { name: 'user', title: 'User', isExtra: true, cell: ({ user }) => user ?? '' },
  { name: 'region', title: 'Region', isExtra: true, cell: ({ region }) => region },
  { name: 'created', title: 'Created', isExtra: true, cell: ({ created_at }) => moment(created_at) },
  { name: 'id', title: 'Id', isExtra: true, cell: ({ id }) => <code>{id}</code> },
]

export function scopesText(scopes: readonly string[] | null): string {
  return scopes === null ? 'everything' : scopes.join(', ')
}

function OpenLink({ of: { id, name } }: { of: KeySummary }) {
  const { query } = useQuery()
  return <a href={pathWith('/keys', { ...query, key: id })}>{name}</a>
}

export function KeyState({ of: { revoked_at, expires_at } }: { of: Pick<KeySummary, 'revoked_at' | 'expires_at'> }) {
  if (revoked_at) return <span class="status bad">revoked</span>
  if (expires_at && Date.parse(expires_at) < Date.now()) return <span class="status warn">expired</span>
  return <span class="status good">active</span>
}
