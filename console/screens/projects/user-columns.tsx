import type { User } from '../../../src/contract/admin/people.ts'
import { pathWith } from '../../api/client.ts'
import { moment } from '../../parts/format.ts'
import type { Column } from '../../parts/table.tsx'
import { useQuery } from '../../parts/use-query.ts'

export const USER_COLUMNS: readonly Column<User>[] = [
  { name: 'name', title: 'Name', cell: ({ id, name }) => <UserLink id={id} name={name} /> },
  { name: 'email', title: 'E-mail', cell: ({ email }) => email ?? '' },
  { name: 'kind', title: 'Kind', cell: ({ kind }) => (kind === 'service' ? 'service account' : 'person') },
  { name: 'roles', title: 'Roles', cell: ({ memberships }) => memberships.map(roleText).join(', ') || 'none' },
  { name: 'state', title: 'State', cell: (user) => <UserState of={user} /> },
  { name: 'signs', title: 'Signs in with', cell: signInText },
  {
    name: 'seen',
    title: 'Last signed in',
    cell: ({ last_seen_at }) => (last_seen_at ? moment(last_seen_at) : 'never'),
  },
]

export function roleText({ role, project }: Pick<User['memberships'][number], 'role' | 'project'>): string {
  return project === null ? role : `${role} of ${project}`
}

export function signInText({ kind, has_password: hasPassword, issuer }: User): string {
  if (kind === 'service') return 'tokens'
  return [issuer, hasPassword && 'password'].filter(Boolean).join(', ') || 'an invitation that is open'
}

export function UserState({ of: { disabled_at: disabled } }: { of: Pick<User, 'disabled_at'> }) {
  return disabled ? <span class="status bad">disabled</span> : <span class="status good">active</span>
}

export function UserLink({ id, name }: { id: string; name: string }) {
  const { query } = useQuery()
  return <a href={pathWith('/projects', { ...query, view: 'people', user: id })}>{name}</a>
}
