import { type Fields, recordOf } from '../../../../base/schema/record.ts'
import type { NewUser } from '../../../../platform/store/people/users.ts'
import type { NewProject } from '../../../../platform/store/projects/projects.ts'
import { blockOf, type ImportedLimit, type LimitContext, type LimitHolder, limitsOf, spentIn } from './limits.ts'
import { byColumn } from './tables.ts'
import type { ImportedOrganization } from './teams.ts'
import { isSet } from './values.ts'

// Everybody in LiteLLM who has limits: in columns of their own, or in a shared budget that they name.

export type HolderRows = {
  /** By the id of the key here. */
  keys: ReadonlyMap<string, Fields>
  teams: readonly Fields[]
  users: readonly Fields[]
  organizationRows: readonly Fields[]
  endUsers: readonly Fields[]
  budgets: readonly Fields[]
  teamMembers: readonly Fields[]
  /** What they have become here, by their ids in LiteLLM. */
  projects: ReadonlyMap<string, Pick<NewProject, 'id'>>
  organizations: ReadonlyMap<string, Pick<ImportedOrganization, 'id'>>
  people: ReadonlyMap<string, Pick<NewUser, 'id'>>
}

type HolderRow = { row: Fields; holder: LimitHolder }

export function allLimits(rows: HolderRows, context: LimitContext): ImportedLimit[] {
  const budgets = byColumn(rows.budgets, 'budget_id')
  const holders = [
    ...holdersOf('organization', rows.organizationRows, 'organization_id', rows.organizations),
    ...holdersOf('project', rows.teams, 'team_id', rows.projects),
    ...holdersOf('user', rows.users, 'user_id', rows.people),
    ...Array.from(rows.keys, ([id, row]) => heldBy('key', id, String(row.token), row)),
    ...rows.endUsers.map((row) => heldBy('end_user', String(row.user_id), String(row.user_id), row)),
  ]
  return [
    ...holders.flatMap(({ row, holder }) => {
      if (holder.kind === 'end_user' && row.blocked === true) return blockOf(holder, context)
      return limitsOf(withBudget(row, budgets), holder, context)
    }),
    ...limitsOfMembers(rows, budgets, context),
  ]
}

function holdersOf(
  kind: string,
  rows: readonly Fields[],
  column: string,
  here: ReadonlyMap<string, { id: string }>,
): HolderRow[] {
  return rows.flatMap((row) => {
    const source = String(row[column])
    const id = here.get(source)?.id
    return id === undefined ? [] : [heldBy(kind, id, source, row)]
  })
}

function heldBy(kind: string, id: string, source: string, row: Fields): HolderRow {
  return { row, holder: { appliesTo: `${kind}:${id}`, kind, source } }
}

/** What the row says itself wins over the budget that it names. */
function withBudget(row: Fields, budgets: ReadonlyMap<string, Fields>): Fields {
  const shared = budgets.get(String(row.budget_id)) ?? {}
  return { ...shared, ...Object.fromEntries(Object.entries(row).filter(([, value]) => isSet(value))) }
}

/** A team may have a budget for each of its members. LiteLLM keeps what they have spent with their memberships. */
function limitsOfMembers(rows: HolderRows, budgets: ReadonlyMap<string, Fields>, context: LimitContext) {
  const members = Map.groupBy(rows.teamMembers, ({ team_id: id }) => String(id))
  return rows.teams.flatMap((team) => {
    const source = String(team.team_id)
    const project = rows.projects.get(source)?.id
    const budget = budgets.get(String(recordOf(team.metadata).team_member_budget_id))
    if (project === undefined || !budget) return []
    const spent = spentByMembers(members.get(source) ?? [], budget, rows, context.now)
    const holder = { appliesTo: `project:${project}`, kind: 'member', source, per: 'user' as const, spent }
    return limitsOf(budget, holder, context)
  })
}

/** By the ids of the users here. */
function spentByMembers(members: readonly Fields[], budget: Fields, { people }: HolderRows, now: number) {
  const entries = members.flatMap(({ user_id: id, spend }): [string, number][] => {
    const user = people.get(String(id))?.id
    return user === undefined ? [] : [[user, spentIn({ spend, budget_reset_at: budget.budget_reset_at }, now)]]
  })
  return Object.fromEntries(entries)
}
