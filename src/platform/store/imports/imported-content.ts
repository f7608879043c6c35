import { numberedPlaceholders } from '../conditions.ts'
import type { Database, Statement, Value } from '../database.ts'
import { type LimitHolder, NEW_VERSION } from '../limits/stored-limits.ts'
import { multiRow } from '../multi-row.ts'
import type { NewMember } from '../people/members.ts'
import type { NewUser } from '../people/users.ts'
import type { NewProject } from '../projects/projects.ts'

// Rows that an import adds. Rows that exist already stay as they are, because an operator may have changed them here.

type IdTable = 'organizations' | 'projects' | 'users' | 'limits' | 'keys'

/** Those of these ids that the table has. */
export async function existingIds(db: Database, table: IdTable, ids: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
    const part = ids.slice(start, start + IDS_AT_ONCE)
    const places = numberedPlaceholders(part)
    const rows = await db.query<{ id: string }>(`SELECT id FROM ${table} WHERE id IN (${places})`, part)
    for (const { id } of rows) found.add(id)
  }
  return found
}

const IDS_AT_ONCE = 500

/** The ids of all organizations and projects, also of deleted projects, and users by e-mail address. */
export async function readExisting(db: Database) {
  const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
  const users = await db.query<{ id: string; email: string }>('SELECT id, email FROM users WHERE email IS NOT NULL')
  return {
    organizations: ids(await db.query<{ id: string }>('SELECT id FROM organizations')),
    projects: ids(await db.query<{ id: string }>('SELECT id FROM projects')),
    users: new Map(users.map(({ id, email }) => [email, id])),
  }
}

type MemberKey = Pick<NewMember, 'userId' | 'project'>

/** Identifies a membership. A user has one role on an organization or project. */
export function memberKey({ userId, project }: MemberKey): string {
  return JSON.stringify([userId, project])
}

export async function existingMembers(db: Database): Promise<Set<string>> {
  return new Set((await db.query<MemberKey>('SELECT user_id AS "userId", project FROM members')).map(memberKey))
}

export async function deletedProjects(db: Database): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>('SELECT id FROM projects WHERE deleted_at IS NOT NULL')
  return new Set(rows.map(({ id }) => id))
}

export const organizationInsertions = multiRow<{ id: string; name: string }>({
  columns: 2,
  sql: (tuples) => `INSERT INTO organizations (id, name, created_at) ${withTime(2, tuples)}`,
  append: (values, { id, name }) => values.push(id, name),
})

export const projectInsertions = multiRow<NewProject>({
  columns: 6,
  sql: (tuples) =>
    `INSERT INTO projects (id, organization, name, share, region, policy, created_at, updated_at) ${withTimes(6, tuples)}`,
  append: (values, { id, organization, name, share, region, policy }) =>
    values.push(id, organization, name, share, region, policy && JSON.stringify(policy)),
})

/** Without a password. `importedFrom` says where they come from. */
export const userInsertions = multiRow<NewUser & { importedFrom: string }>({
  columns: 6,
  sql: (tuples) =>
    `INSERT INTO users (id, organization, email, name, kind, imported_from, created_at, updated_at) ${withTimes(6, tuples)}`,
  append: (values, { id, organization, email, name, kind, importedFrom }) =>
    values.push(id, organization, email, name, kind, importedFrom),
})

/** A user who has a role there already keeps it. */
export const memberInsertions = multiRow<NewMember>({
  columns: 6,
  sql: (tuples) =>
    `INSERT INTO members (id, organization, project, user_id, role, source, created_at, updated_at) ${withTimes(6, tuples)}`,
  append: (values, { id, organization, project, userId, role, source }) =>
    values.push(id, organization, project, userId, role, source),
})

/** What an import sets, it sets with the rights of the organization. */
type NewLimit = { id: string; appliesTo: LimitHolder; settings: string }

/** Processes read the limits again when the version changes. */
export function limitInsertions(limits: readonly NewLimit[]): Statement[] {
  return limits.length === 0 ? [] : [NEW_VERSION, ...limitRows(limits)]
}

const limitRows = multiRow<NewLimit>({
  columns: 5,
  sql: (tuples) =>
    `INSERT INTO limits (id, holder, holder_id, set_by, settings, created_at, updated_at) ${withTimes(5, tuples)}`,
  append: (values, { id, appliesTo, settings }) =>
    values.push(id, appliesTo.holder, appliesTo.id, 'organization', settings),
})

export type OpenWindow = { limit: string; bucket: string; start: number; spent: number }

/**
 * What was spent elsewhere in a window that is open. `spent` is the sum of ledger lines and has no line for it, so it is
 * the opposite of what operators forgive.
 */
export const windowInsertions = multiRow<OpenWindow>({
  columns: 4,
  sql: (tuples) => `INSERT INTO limit_windows (limit_id, bucket, window_start, spent, forgiven, changes)
    SELECT column1, column2, CAST(column3 AS BIGINT), 0, CAST(column4 AS BIGINT), 0 FROM (VALUES ${tuples}) AS opened
    WHERE true ON CONFLICT DO NOTHING`,
  append: (values: Value[], { limit, bucket, start, spent }) => values.push(limit, bucket, start, -spent),
})

function withTimes(columns: number, tuples: string): string {
  return withTime(columns, tuples, 'now_ms(), now_ms()')
}

/** Both databases use these names for the columns of VALUES. */
function withTime(columns: number, tuples: string, times = 'now_ms()'): string {
  const names = Array.from({ length: columns }, (_, index) => `column${index + 1}`).join(', ')
  return `SELECT ${names}, ${times} FROM (VALUES ${tuples}) AS imported WHERE true ON CONFLICT DO NOTHING`
}
