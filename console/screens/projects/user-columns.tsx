import type { User } from '../../../src/contract/admin/people.ts'
import { moment, shortMoment } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'

export function userColumns(projectName: (id: string) => string): readonly Column<User>[] {
  const rolesOf = ({ memberships }: User) => memberships.map((one) => roleText(one, projectName)).join(', ') || 'none'
  return [
    { name: 'name', title: 'Name', sort: ({ name }) => name, cell: ({ name }) => name },
    { name: 'email', title: 'E-mail', sort: ({ email }) => email, cell: ({ email }) => email ?? '' },
    { name: 'kind', title: 'Kind', isMinor: true, sort: kindText, cell: kindText },
    {
      name: 'roles',
      title: 'Roles',
      isMain: true,
      sort: rolesOf,
      cell: (user) => <span class="wrapped">{rolesOf(user)}</span>,
    },
    {
      name: 'state',
      title: 'State',
      sort: ({ disabled_at: at }) => at !== null,
      cell: (user) => <UserState of={user} />,
    },
    { name: 'signs', title: 'Signs in with', isMinor: true, sort: signInText, cell: signInText },
    {
      name: 'seen',
      title: 'Last signed in',
      sort: ({ last_seen_at: at }) => at,
      cell: ({ last_seen_at: at }) => (at ? shortMoment(at) : 'never'),
      tip: ({ last_seen_at: at }) => moment(at),
    },
  ]
}

function kindText({ kind }: User): string {
  return kind === 'service' ? 'service account' : 'person'
}

type Given = Pick<User['memberships'][number], 'role' | 'project'>

export function roleText({ role, project }: Given, projectName: (id: string) => string): string {
  return project === null ? role : `${role} of ${projectName(project)}`
}

export function signInText({ kind, has_password: hasPassword, issuer }: User): string {
  if (kind === 'service') return 'tokens'
  return [issuer, hasPassword && 'password'].filter(Boolean).join(', ') || 'pending invitation'
}

export function UserState({ of: { disabled_at: disabled } }: { of: Pick<User, 'disabled_at'> }) {
  return disabled ? <span class="status bad">disabled</span> : <span class="status good">active</span>
}
