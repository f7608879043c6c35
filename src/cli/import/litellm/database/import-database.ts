import type { Region } from '../../../../platform/providers/provider.ts'
import type { Fields } from '../../../../base/schema/record.ts'
import type { ImportedKey } from '../../../../platform/store/keys/imported-keys.ts'
import type { NewMember } from '../../../../platform/store/people/members.ts'
import type { NewUser } from '../../../../platform/store/people/users.ts'
import type { NewProject } from '../../../../platform/store/projects/projects.ts'
import { approximate, exact, type Finding, manual, unsupported, type Verdict } from '../../finding.ts'
import { OTHER_TABLES } from '../mapping/database-tables.ts'
import { type KeyContext, keyOf, type Skipped } from './keys.ts'
import { allLimits } from './limit-holders.ts'
import type { ImportedLimit, LimitContext, LimitRemark } from './limits.ts'
import type { ModelNames } from './model-scopes.ts'
import { peopleOf } from './people.ts'
import { openSource, type SourceDatabase } from './read-tables.ts'
import { byColumn, ColumnCounts, readTable } from './tables.ts'
import {
  countUnrestricted,
  type ImportedOrganization,
  type ExistingIds,
  MAX_POLICY_MODELS,
  organizationsOf,
  projectsOf,
} from './teams.ts'

const KEYS = 'LiteLLM_VerificationToken'
const MAX_KEYS = 1_000_000

const SKIPPED: Record<Skipped, Verdict> = {
  'console session': exact("sessions of LiteLLM's console are left out"),
  'unknown form': unsupported('the token is no SHA-256 of a key'),
  expired: exact('expired keys are left out'),
  'no model endpoint': manual('they are for administration: use the admin key, or keys create --kind admin'),
  'no model': manual('the key, its team and its user allow no common model; they are left out'),
}

const REMARKS: Record<LimitRemark, Verdict> = {
  'other window': approximate(
    'budgets of another length: the most similar window, with the same amount for the same time',
  ),
  'unknown model': manual('limits of models that config.yaml does not have: make them with POST /admin/budgets'),
  'not possible': manual('limits that Gatehouse does not accept, such as more than a million USD: they are left out'),
}

export type DatabaseImport = {
  organizations: readonly ImportedOrganization[]
  projects: readonly NewProject[]
  users: readonly NewUser[]
  members: readonly NewMember[]
  keys: readonly ImportedKey[]
  limits: readonly ImportedLimit[]
  findings: readonly Finding[]
}

/** What exists in this installation already. Empty if the store was not read. */
type Existing = ExistingIds & { users: ReadonlyMap<string, string> }
export const NOTHING_EXISTS: Existing = { projects: [], organizations: [], users: new Map() }

type Options = ModelNames &
  Pick<LimitContext, 'modelsOf' | 'timezone'> & {
    region: Region
    now: number
    known: Existing
    /** Hears how many of the keys have been read. */
    read?: (keys: number, of: number) => void
  }

/** Reads everything in one snapshot, and says what cannot be taken over. */
export async function importDatabase(url: string, options: Options): Promise<DatabaseImport> {
  const source = await openSource(url)
  try {
    return await readAll(source, options)
  } finally {
    await source.close()
  }
}

async function readAll(source: SourceDatabase, options: Options): Promise<DatabaseImport> {
  const counts = new ColumnCounts()
  const tables = await readTables(source, counts)
  const { organizations, projects, people, unrestricted } = structureOf(tables, options)
  const [teams, users] = [byColumn(tables.teams, 'team_id'), byColumn(tables.users, 'user_id')]
  const context = { ...options, teams, users, projects, people: people.users }
  const found = await readKeys(source, context, counts)
  const remarks = new Map<LimitRemark, number>()
  const remark = (about: LimitRemark) => remarks.set(about, (remarks.get(about) ?? 0) + 1)
  const holders = { ...tables, keys: found.rows, organizations, projects, people: people.users }
  const limits = allLimits(holders, { ...options, remark })
  return {
    organizations: [...organizations.values()],
    projects: [...projects.values()],
    users: [...people.users.values()],
    members: people.members,
    keys: found.keys,
    limits,
    findings: [
      ...found.findings,
      ...tableFindings(tables, projects.size),
      ...counted(
        'LiteLLM_TeamTable (unknown members)',
        manual('members that are no users are left out'),
        people.strangers,
      ),
      ...counted('LiteLLM_TeamTable (too many models)', manual(TOO_MANY_MODELS), unrestricted),
      ...Array.from(remarks, ([about, count]) => ({ path: `limits (${about})`, ...REMARKS[about], count })),
      ...counts.findings().filter(({ outcome }) => outcome !== 'exact'),
      ...(await countTables(source)),
    ],
  }
}

const TOO_MANY_MODELS =
  `a policy has at most ${MAX_POLICY_MODELS} models: the keys of these teams stay restricted, but new keys of their projects ` +
  'may use all models. Set a policy with patterns'

type Tables = Awaited<ReturnType<typeof readTables>>

async function readTables(source: SourceDatabase, counts: ColumnCounts) {
  const read = (table: string, ...by: string[]) => readTable(source, `LiteLLM_${table}`, by, counts)
  return {
    teams: await read('TeamTable', 'team_id'),
    organizationRows: await read('OrganizationTable', 'organization_id'),
    users: await read('UserTable', 'user_id'),
    teamMembers: await read('TeamMembership', 'user_id', 'team_id'),
    organizationMembers: await read('OrganizationMembership', 'user_id', 'organization_id'),
    endUsers: await read('EndUserTable', 'user_id'),
    budgets: await read('BudgetTable', 'budget_id'),
  }
}

function structureOf({ teams, organizationRows, users, organizationMembers }: Tables, options: Options) {
  const { known } = options
  const organizations = organizationsOf(organizationRows, known)
  const rows = byColumn(organizationRows, 'organization_id')
  const context = { ...options, organizations, organizationRows: rows, known }
  const projects = projectsOf(teams, context)
  const people = peopleOf({ users, teams, organizationMembers, projects, known: known.users })
  return { organizations, projects, people, unrestricted: countUnrestricted(teams, context) }
}

type KeyOptions = KeyContext & Pick<Options, 'read'>

/** The rows of keys are kept for their limits. */
async function readKeys(source: SourceDatabase, context: KeyOptions, counts: ColumnCounts) {
  const total = await source.count(KEYS)
  let read = 0
  const keys: ImportedKey[] = []
  const rows = new Map<string, Fields>()
  const skipped = new Map<Skipped, number>()
  for await (const row of source.rows(KEYS, ['token'])) {
    context.read?.(++read, total)
    const key = keyOf(row, context)
    if (typeof key === 'string') skipped.set(key, (skipped.get(key) ?? 0) + 1)
    else if (keys.push(key) > MAX_KEYS) throw new Error(`LiteLLM's database has more than ${MAX_KEYS} keys.`)
    else {
      counts.add(KEYS, row)
      if (!key.isBlocked) rows.set(key.id, row)
    }
  }
  const findings = [
    { path: KEYS, ...exact('callers keep their keys: only the digests are taken over'), count: keys.length },
    ...Array.from(skipped, ([reason, count]) => ({ path: `${KEYS} (${reason})`, ...SKIPPED[reason], count })),
  ]
  return { keys, rows, findings: findings.filter(({ count }) => count > 0) }
}

function tableFindings({ teams, organizationRows, users, endUsers }: Tables, projects: number): Finding[] {
  const blocked = teams.filter((team) => team.blocked === true).length
  return [
    ...counted('LiteLLM_TeamTable', exact('teams are projects'), projects),
    ...counted('LiteLLM_TeamTable (blocked)', exact('blocked teams are left out, their keys are revoked'), blocked),
    ...counted('LiteLLM_OrganizationTable', exact('organizations'), organizationRows.length),
    ...counted('LiteLLM_UserTable', exact('users, without their passwords'), users.length),
    ...counted('LiteLLM_EndUserTable', exact('their budgets and limits are taken over'), endUsers.length),
  ]
}

function counted(path: string, verdict: Verdict, count: number): Finding[] {
  return count > 0 ? [{ path, ...verdict, count }] : []
}

async function countTables(source: SourceDatabase): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [table, outcome, note] of OTHER_TABLES)
    findings.push(...counted(table, { outcome, note }, await source.count(table)))
  return findings
}
