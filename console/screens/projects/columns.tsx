import type { LimitBody } from '../../../src/contract/admin/limits.ts'
import type { ProjectBody } from '../../../src/contract/admin/projects.ts'
import { mayIn } from '../../api/session.ts'
import { money, moment, plural } from '../../parts/format.ts'
import { limitText } from '../../parts/limit-amounts.ts'
import { LimitBar } from '../../parts/limit-bar.tsx'
import type { Column } from '../../parts/table/column.ts'

/** By the id of the project. `isWhole`: all that the person may see are among them. */
export type ProjectBudgets = { byProject: ReadonlyMap<string, readonly LimitBody[]>; isWhole: boolean }

export function columnsFor(budgets: ProjectBudgets, spent: ReadonlyMap<string, number> | undefined) {
  const columns: readonly Column<ProjectBody>[] = [
    { name: 'name', title: 'Name', isMain: true, sort: ({ name }) => name, cell: ({ name }) => name },
    { name: 'id', title: 'ID', isMinor: true, sort: ({ id }) => id, cell: ({ id }) => <code>{id}</code> },
    {
      name: 'spent',
      title: 'Spent this month',
      isNumber: true,
      sort: ({ id }) => spent?.get(id) ?? 0,
      cell: ({ id }) => (spent ? money(spent.get(id) ?? 0) : ''),
    },
    { name: 'budgets', title: 'Budgets', cell: (project) => <Budgets of={project} in={budgets} /> },
    { name: 'models', title: 'Models', cell: ({ policy }) => policy?.models?.join(', ') ?? 'all' },
    { name: 'region', title: 'Region', isMinor: true, cell: ({ region }) => region ?? 'set by keys' },
    { name: 'content', title: 'Request content', cell: ({ content }) => contentText(content) },
    { name: 'share', title: 'Files shared', isExtra: true, cell: ({ share }) => `by ${share}` },
    {
      name: 'created',
      title: 'Created',
      isExtra: true,
      sort: ({ created_at: at }) => at,
      cell: ({ created_at }) => moment(created_at),
    },
  ]
  return columns
}

export function contentText({ mode, days }: ProjectBody['content']): string {
  return mode === 'off' ? 'not kept' : `${mode}, ${plural(days ?? 7, 'day')}`
}

/** The fullest one, and how many others there are. */
function Budgets({ of: { id, organization }, in: known }: { of: ProjectBody; in: ProjectBudgets }) {
  const budgets = known.byProject.get(id) ?? []
  const [first, ...others] = budgets.toSorted((one, other) => usedOf(other) - usedOf(one))
  const seesAll = known.isWhole && mayIn('limits.read', { organization, project: id })
  if (!first) return <span class="faint">{seesAll ? 'none' : '–'}</span>
  return (
    <>
      <small>
        {limitText(first)}
        {others.length > 0 && `, and ${others.length} more`}
      </small>
      <LimitBar limit={first} />
    </>
  )
}

function usedOf({ spent, effective_limit: limit, per }: LimitBody): number {
  return per || limit === 0 ? 0 : spent / limit
}
