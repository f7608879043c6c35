import type { KeySummary } from '../../../src/contract/admin/keys.ts'
import { money, moment, shortMoment } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'

export function columnsFor(projectName: (id: string) => string): readonly Column<KeySummary>[] {
  const projectOf = ({ project }: KeySummary) => projectName(project)
  return [
    { name: 'name', title: 'Name', isMain: true, sort: ({ name }) => name, cell: ({ name }) => name },
    { name: 'state', title: 'State', cell: (key) => <KeyState of={key} /> },
    { name: 'project', title: 'Project', sort: projectOf, cell: projectOf },
    { name: 'kind', title: 'Kind', isMinor: true, sort: ({ kind }) => kind, cell: ({ kind }) => kind },
    { name: 'scopes', title: 'Scopes', isMinor: true, cell: ({ scopes }) => scopesText(scopes) },
    {
      name: 'spent',
      title: 'Spent this month',
      sort: ({ month_cost: cost }) => cost,
      isNumber: true,
      cell: ({ month_cost }) => (month_cost === undefined ? '' : money(month_cost)),
    },
    {
      name: 'used',
      title: 'Last used',
      sort: ({ last_used_at: at }) => at,
      cell: ({ last_used_at: at }) => (at ? shortMoment(at) : 'never'),
      tip: ({ last_used_at: at }) => moment(at),
    },
    {
      name: 'expires',
      title: 'Expires',
      isMinor: true,
      sort: ({ expires_at: at }) => at,
      cell: ({ expires_at: at }) => (at ? shortMoment(at) : 'never'),
      tip: ({ expires_at: at }) => moment(at),
    },
    { name: 'last4', title: 'Ends with', isMinor: true, cell: ({ last4 }) => <code>…{last4}</code> },
    { name: 'user', title: 'User', isExtra: true, cell: ({ user }) => user ?? '' },
    { name: 'region', title: 'Region', isExtra: true, cell: ({ region }) => region },
    {
      name: 'created',
      title: 'Created',
      isExtra: true,
      sort: ({ created_at: at }) => at,
      cell: ({ created_at: at }) => moment(at),
    },
    { name: 'id', title: 'ID', isExtra: true, cell: ({ id }) => <code>{id}</code> },
  ]
}

export function scopesText(scopes: readonly string[] | null): string {
  return scopes === null ? 'all' : scopes.join(', ')
}

export function KeyState({ of: { revoked_at, expires_at } }: { of: Pick<KeySummary, 'revoked_at' | 'expires_at'> }) {
  if (revoked_at) return <span class="status bad">revoked</span>
  if (expires_at && Date.parse(expires_at) < Date.now()) return <span class="status warn">expired</span>
  return <span class="status good">active</span>
}
