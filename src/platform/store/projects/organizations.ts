import type { ClaudeCodeSettings } from '../../../contract/admin/claude-code-settings.ts'
import { conditions, numberedPlaceholders, placeholdersFor } from '../conditions.ts'
import { type Page, readCursor, toPage } from '../cursor.ts'
import type { Database, Statement, Value } from '../database.ts'
import { guardrailsEnd } from '../guardrails/stored-guardrails.ts'
import { limitsEnd } from '../limits/stored-limits.ts'
import { holdOrganization } from './hold-organization.ts'
import { DEFAULT } from './projects.ts'

export type StoredOrganization = {
  id: string
  name: string
  /** For people who sign in with Claude Code. */
  claudeCodeSettings: ClaudeCodeSettings | null
  createdAt: number
}

type OrganizationRow = Omit<StoredOrganization, 'claudeCodeSettings'> & { claudeCodeSettings: string | null }

const COLUMNS = 'id, name, claude_code_settings AS "claudeCodeSettings", created_at AS "createdAt"'

function toOrganization(row: OrganizationRow): StoredOrganization {
  const { claudeCodeSettings } = row
  return { ...row, claudeCodeSettings: claudeCodeSettings && JSON.parse(claudeCodeSettings) }
}

export async function findOrganization(db: Database, id: string): Promise<StoredOrganization | undefined> {
  const [row] = await db.query<OrganizationRow>(`SELECT ${COLUMNS} FROM organizations WHERE id = $1`, [id])
  return row && toOrganization(row)
}

/** Newest first. `ids` limits the list to these. */
export async function listOrganizations(
  db: Database,
  { limit, cursor, ids }: { limit: number; cursor?: string | undefined; ids?: readonly string[] | undefined },
): Promise<Page<StoredOrganization>> {
  const values: Value[] = [limit + 1]
  const { add, where } = conditions(values)
  if (cursor !== undefined) add('(created_at, id) < (?, ?)', readCursor(cursor))
  if (ids !== undefined) add(`id IN (${placeholdersFor(ids)})`, ids)
  const sql = `SELECT ${COLUMNS} FROM organizations ${where()} ORDER BY created_at DESC, id DESC LIMIT $1`
  return toPage((await db.query<OrganizationRow>(sql, values)).map(toOrganization), limit)
}

/** Whether there are no organizations but these. */
export async function areAllOrganizations(db: Database, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return false
  const places = numberedPlaceholders(ids)
  return (await db.query(`SELECT id FROM organizations WHERE id NOT IN (${places}) LIMIT 1`, ids)).length === 0
}

/** A single organization is not shown in other bodies. */
export async function hasSeveralOrganizations(db: Database): Promise<boolean> {
  return (await db.query('SELECT id FROM organizations LIMIT 2')).length > 1
}

/**
 * Returns undefined if the id is taken, or was taken by an organization that was deleted: what the ledger says of that one is
 * not for the people of another. `owner` is its first owner.
 */
export async function insertOrganization(
  db: Database,
  { id, name }: Pick<StoredOrganization, 'id' | 'name'>,
  owner: readonly Statement[] = [],
): Promise<StoredOrganization | undefined> {
  const sql = `INSERT INTO organizations (id, name, created_at) SELECT $1, $2, now_ms() WHERE NOT EXISTS (
      SELECT 1 FROM audit WHERE object = 'organization:' || $1 AND action = 'organization.delete')
    ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`
  const [inserted] = await db.transaction([{ sql, values: [id, name], required: true }, ...owner])
  const row = inserted!.rows[0] as OrganizationRow | undefined
  return row && toOrganization(row)
}

/** What can be changed of an organization. A member that is absent stays as it is. */
export type OrganizationChanges = Partial<Pick<StoredOrganization, 'name' | 'claudeCodeSettings'>>

/** Returns undefined for an unknown id. */
export async function changeOrganization(
  db: Database,
  id: string,
  { name, claudeCodeSettings }: OrganizationChanges,
): Promise<StoredOrganization | undefined> {
  const sql = `UPDATE organizations SET name = COALESCE($2, name),
      claude_code_settings = CASE CAST($3 AS BIGINT) WHEN 1 THEN $4 ELSE claude_code_settings END
    WHERE id = $1 RETURNING ${COLUMNS}`
  const document = claudeCodeSettings ? JSON.stringify(claudeCodeSettings) : null
  const values = [id, name ?? null, claudeCodeSettings === undefined ? 0 : 1, document]
  const [changed] = await db.transaction([{ sql, values, required: true }])
  const row = changed!.rows[0] as OrganizationRow | undefined
  return row && toOrganization(row)
}

/**
 * Returns false if there is no such organization, or if it has projects. The rows of its deleted projects stay for the names of
 * ledger lines, and no longer name it. Roles on it end, and so do their sessions and invitations, and its limits; people whose
 * home it was belong to `default` then, without a role there.
 */
export async function deleteOrganization(db: Database, id: string): Promise<boolean> {
  const move = `UPDATE projects SET organization = '${DEFAULT}' WHERE organization = $1 AND deleted_at IS NOT NULL`
  const remove = `DELETE FROM organizations WHERE id = $1 AND id <> '${DEFAULT}'
    AND NOT EXISTS (SELECT 1 FROM projects WHERE organization = $1) RETURNING id`
  const [, , removed] = await db.transaction([
    holdOrganization(id),
    { sql: move, values: [id] },
    { sql: remove, values: [id], required: true },
    ...[SESSIONS_OF_MEMBERS, MEMBERS, INVITATIONS, PEOPLE].map((sql) => ({ sql, values: [id] })),
    ...limitsEnd(id, "holder = 'organization' AND holder_id = $1"),
    ...guardrailsEnd(id, "holder = 'organization' AND holder_id = $1"),
  ])
  return removed!.rows.length > 0
}

const MEMBERS = 'DELETE FROM members WHERE organization = $1'
const SESSIONS_OF_MEMBERS =
  'DELETE FROM sessions WHERE user_id IN (SELECT user_id FROM members WHERE members.organization = $1)'
const INVITATIONS = 'DELETE FROM invitations WHERE organization = $1 AND used_at IS NULL'
const PEOPLE = `UPDATE users SET organization = '${DEFAULT}', updated_at = now_ms() WHERE organization = $1`
