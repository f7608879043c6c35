import { useMemo } from 'preact/hooks'
import type { Member } from '../../../src/contract/admin/members.ts'
import type { User } from '../../../src/contract/admin/people.ts'
import { usePages } from '../../api/use-pages.ts'
import { moment } from '../../parts/format.ts'
import { Empty } from '../../parts/notice.tsx'
import type { Column } from '../../parts/table/column.ts'
import type { Opens } from '../../parts/table/open-row.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'

type Props = { project: string; projectName: (id: string) => string; users: readonly User[]; opens: Opens }

/** Who has a role in a project. Roles of the whole organization are not repeated here. */
export function ProjectMembers({ project, projectName, users, opens }: Props) {
  const pages = usePages('/admin/members', { project })
  const columns = useMemo(() => columnsFor(new Map(users.map((user) => [user.id, user]))), [users])
  return (
    <PagedTable
      label={`Roles in ${projectName(project)}`}
      columns={columns}
      keyOf={({ user }) => user}
      pages={pages}
      noun="member"
      opens={opens}
    >
      <Empty title="This project has no members">
        People with a role in the whole organization still have access. Invite people below.
      </Empty>
    </PagedTable>
  )
}

function columnsFor(users: ReadonlyMap<string, User>): readonly Column<Member>[] {
  const nameOf = ({ user }: Member) => users.get(user)?.name ?? user
  return [
    { name: 'name', title: 'Name', sort: nameOf, cell: nameOf },
    { name: 'email', title: 'E-mail', cell: ({ user }) => users.get(user)?.email ?? '' },
    { name: 'role', title: 'Role', sort: ({ role }) => role, cell: ({ role }) => role },
    {
      name: 'source',
      title: 'Assigned',
      cell: ({ source }) => (source === 'manual' ? 'manually' : `by ${source.toUpperCase()}`),
    },
    { name: 'since', title: 'Since', sort: ({ created_at: at }) => at, cell: ({ created_at }) => moment(created_at) },
  ]
}
