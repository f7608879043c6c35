import { useMemo, useState } from 'preact/hooks'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { usePages } from '../../api/use-pages.ts'
import { adminCommand } from '../../parts/admin-command.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ColumnChoice, useColumns } from '../../parts/table/column-choice.tsx'
import { Downloads } from '../../parts/downloads.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { Empty } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import type { Opens } from '../../parts/table/open-row.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { Views } from '../../parts/views.tsx'
import { monthStart } from '../../parts/chart/usage-span.ts'
import { OrganizationSettings } from './claude-code-settings.tsx'
import { columnsFor, type ProjectBudgets } from './columns.tsx'
import { CreateProject } from './create-project.tsx'
import { People } from './people.tsx'
import { ProjectDetail } from './project-detail.tsx'

const VIEWS = { '': 'Projects', people: 'People' }

/** Projects, and the people who use them. */
export default function Projects() {
  const { query } = useQuery()
  return (
    <>
      <ScreenHead title={query.view === 'people' ? 'People' : 'Projects'}>
        {may('members.read') && <Views path="/projects" views={VIEWS} />}
      </ScreenHead>
      {query.view === 'people' && may('members.read') ? <People /> : <ProjectList />}
    </>
  )
}

function ProjectList() {
  const [isCreating, setCreating] = useState(false)
  const [isSettingAgents, setSettingAgents] = useState(false)
  const pages = usePages('/admin/projects', {})
  const [budgets, spent] = [useBudgets(), useSpend()]
  const all = useMemo(() => columnsFor(budgets, spent), [budgets, spent])
  const { columns, ...choice } = useColumns('projects', all)
  const opens: Opens = {
    as: 'project',
    show: (id) => <ProjectDetail id={id} onChanged={pages.reload} />,
  }
  return (
    <>
      <div class="section-head">
        <div class="actions">
          <ColumnChoice {...choice} />
          <Downloads path="/admin/projects" query={{}} formats={['csv']} />
          {may('organization.write') && (
            <button type="button" onClick={() => setSettingAgents(true)}>
              <Icon name="settings" /> Claude Code
            </button>
          )}
          {may('projects.create') && (
            <button type="button" class="primary" onClick={() => setCreating(true)}>
              <Icon name="add" /> New project
            </button>
          )}
        </div>
      </div>
      <PagedTable label="Projects" columns={columns} keyOf={({ id }) => id} pages={pages} noun="project" opens={opens}>
        <NoProjects />
      </PagedTable>
      {isSettingAgents && <OrganizationSettings onClose={() => setSettingAgents(false)} />}
      {isCreating && <CreateProject onClose={() => setCreating(false)} onCreated={pages.reload} />}
    </>
  )
}

/** Budgets of projects. A list that is not whole cannot say that a project has none. */
function useBudgets(): ProjectBudgets {
  const { value } = useAnswer(may('limits.read') ? '/admin/budgets' : undefined, { limit: 1000 })
  return useMemo(() => {
    const ofProjects = value?.items.filter(({ applies_to: who }) => who.startsWith('project:')) ?? []
    const byProject = Map.groupBy(ofProjects, ({ applies_to: who }) => who.slice('project:'.length))
    return { byProject, isWhole: value?.next_cursor === null }
  }, [value])
}

/** What each project has spent this month. Undefined until it is known. */
function useSpend(): ReadonlyMap<string, number> | undefined {
  const from = useMemo(monthStart, [])
  const path = may('usage.read') ? '/admin/usage' : undefined
  const { value } = useAnswer(path, { group_by: 'project', from })
  return useMemo(() => value && new Map(value.items.map(({ group, cost }) => [group, cost])), [value])
}

function NoProjects() {
  return (
    <Empty title="No projects yet">
      <p>Keys of a project share budgets, files and rules. Create one here, or by the admin API:</p>
      <CodeBlock label="the command" text={adminCommand('/admin/projects', { name: 'Search' })} />
    </Empty>
  )
}
