import { useMemo, useState } from 'preact/hooks'
import { may } from '../../api/session.ts'
import { usePages } from '../../api/use-pages.ts'
import { type FilterField, FilterBar } from '../../parts/filters/filter-bar.tsx'
import { Downloads } from '../../parts/downloads.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { Empty } from '../../parts/notice.tsx'
import type { Opens } from '../../parts/table/open-row.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { useProjectNames } from '../../parts/use-names.ts'
import { pick, useQuery } from '../../parts/use-query.ts'
import { CreateService } from './create-service.tsx'
import { Invitations } from './invitations.tsx'
import { ProjectMembers } from './project-members.tsx'
import { UserDetail } from './user-detail.tsx'
import { userColumns } from './user-columns.tsx'

const FIELDS: readonly FilterField[] = [
  { name: 'kind', label: 'Kind', choices: { person: 'People', service: 'Service accounts' } },
  { name: 'project', label: 'Roles in project', from: 'project', placeholder: 'Name of a project' },
]

/** Who may do what. With a project, only the roles in it are listed. */
export function People() {
  const { query } = useQuery()
  const pages = usePages('/admin/users', { ...pick(query, ['kind']), limit: query.project ? 1000 : undefined })
  const projectName = useProjectNames()
  const columns = useMemo(() => userColumns(projectName), [projectName])
  const [isCreating, setCreating] = useState(false)
  const opens: Opens = { as: 'user', show: (id) => <UserDetail id={id} onChanged={pages.reload} /> }
  return (
    <>
      <div class="section-head">
        <FilterBar fields={FIELDS} />
        <div class="actions">
          <Downloads path="/admin/users" query={pick(query, ['kind'])} formats={['csv']} />
          {may('users.write') && (
            <button type="button" onClick={() => setCreating(true)}>
              <Icon name="add" /> New service account
            </button>
          )}
        </div>
      </div>
      {query.project ? (
        <ProjectMembers project={query.project} projectName={projectName} users={pages.items} opens={opens} />
      ) : (
        <PagedTable label="People" columns={columns} keyOf={({ id }) => id} pages={pages} noun="person" opens={opens}>
          <Empty title="No people match this filter">Remove the filter to see everyone.</Empty>
        </PagedTable>
      )}
      <Invitations projectName={projectName} />
      {isCreating && <CreateService onClose={() => setCreating(false)} onCreated={pages.reload} />}
    </>
  )
}
