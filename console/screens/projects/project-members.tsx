import { useMemo } from 'preact/hooks'
import type { Member } from '../../../src/contract/admin/members.ts'
import type { User } from '../../../src/contract/admin/people.ts'
import { usePages } from '../../api/use-pages.ts'
import { moment } from '../../parts/format.ts'
import { Empty } from '../../parts/notice.tsx'
import { type Column, PagedTable } from '../../parts/table.tsx'
import { UserLink } from './user-columns.tsx'

type Props = { project: string; users: readonly User[] }

/** Who has a role in a project. Roles of the whole organization are not repeated here. */
export function ProjectMembers({ project, users }: Props) {
  const pages = usePages('/admin/members', { project })
  const columns = useMemo(() => columnsFor(new Map(users.map((user) => [user.id, user]))), [users])
  return (
    <PagedTable label={`Roles in ${project}`} columns={columns} keyOf={({ id }) => id} pages={pages}>
      <Empty title="This project has no members">
        People who have a role in the whole organization can still work with it. Invite people below.
      </Empty>
    </PagedTable>
  )
}

function columnsFor(users: ReadonlyMap<string, User>): readonly Column<Member>[] {
  return [
    { name: 'name', title: 'Name', cell: ({ user }) => <UserLink id={user} name={users.get(user)?.name ?? user} /> },
    { name: 'email', title: 'E-mail', cell: ({ user }) => users.get(user)?.email ?? '' },
    { name: 'role', title: 'Role', cell: ({ role }) => role },
    {
      name: 'source',
      title: 'Given by',
      cell: ({ source }) => (source === 'manual' ? 'people' : source.toUpperCase()),
    },
    { name: 'since', title: 'Since', cell: ({ created_at }) => moment(created_at) },
  ]
}
