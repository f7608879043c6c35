import type { ClaudeCodeSettings } from '../../../contract/admin/claude-code-settings.ts'
import type { ContentSettings } from '../../../contract/admin/content.ts'
import type { Policy } from '../../../contract/admin/policy.ts'
import { conditions } from '../conditions.ts'
import { type Page, readCursor, toPage } from '../cursor.ts'
import type { Database, Statement, Value } from '../database.ts'
import { isIn, type Reach } from '../people/reach.ts'
import { holdOrganization } from './hold-organization.ts'

/** Whose files, jobs and responses a key of the project uses: those of the project, or its own. */
type Share = 'project' | 'key'

export type StoredProject = {
  id: string
  organization: string
  name: string
  share: Share
  region: string | null
  policy: Policy | null
  /** What is kept of the content of requests; null if nothing is, and only owners and admins may read contents. */
  content: ContentSettings | null
  /** For people who sign in with Claude Code. */
  claudeCodeSettings: ClaudeCodeSettings | null
  createdAt: number
  updatedAt: number
  /** From then on its keys are refused. Its content is removed afterwards. */
  deletedAt: number | null
  purgedAt: number | null
}

export type NewProject = Omit<
  StoredProject,
  'content' | 'claudeCodeSettings' | 'createdAt' | 'updatedAt' | 'deletedAt' | 'purgedAt'
>

/** Keys without a project. They share nothing. */
export const PERSONAL = 'personal'
/** The project of `GATEHOUSE_API_KEY`, and the organization of projects that name none. */
export const DEFAULT = 'default'

/** What is stored as JSON. */
type Documents = 'policy' | 'content' | 'claudeCodeSettings'

export type ProjectRow = Omit<StoredProject, Documents> & Record<Documents, string | null>

export const PROJECT_COLUMNS = `id, organization, name, share, region, policy, content,
  claude_code_settings AS "claudeCodeSettings", created_at AS "createdAt", updated_at AS "updatedAt", deleted_at AS "deletedAt", purged_at AS "purgedAt"`

/** Also finds a project that was deleted. */
export async function findProject(db: Database, id: string): Promise<StoredProject | undefined> {
  const [row] = await db.query<ProjectRow>(`SELECT ${PROJECT_COLUMNS} FROM projects WHERE id = $1`, [id])
  return row && toProject(row)
}

export type ProjectQuery = {
  limit: number
  cursor?: string | undefined
  organization?: string | undefined
  /** What the actor may see. */
  reach?: Reach | undefined
}

/** Newest first, without those that were deleted. */
export async function listProjects(
  db: Database,
  { limit, cursor, organization, reach }: ProjectQuery,
): Promise<Page<StoredProject>> {
  const values: Value[] = [limit + 1]
  const { add, where } = conditions(values)
  add('deleted_at IS NULL')
  if (cursor !== undefined) add('(created_at, id) < (?, ?)', readCursor(cursor))
  if (organization !== undefined) add('organization = ?', [organization])
  if (reach) add(...isIn(reach, { organization: 'organization', project: 'id' }))
  const sql = `SELECT ${PROJECT_COLUMNS} FROM projects ${where()} ORDER BY created_at DESC, id DESC LIMIT $1`
  return toPage((await db.query<ProjectRow>(sql, values)).map(toProject), limit)
}

/** Returns undefined if the id is taken, also by a project that was deleted, or if there is no such organization. */
export async function insertProject(db: Database, project: NewProject): Promise<StoredProject | undefined> {
  const { id, organization, name, share, region, policy } = project
  const sql = `INSERT INTO projects (id, organization, name, share, region, policy, created_at, updated_at)
    SELECT $1, organizations.id, $3, $4, $5, $6, now_ms(), now_ms() FROM organizations
    WHERE organizations.id = $2
    ON CONFLICT DO NOTHING RETURNING ${PROJECT_COLUMNS}`
  const values = [id, organization, name, share, region, policy && JSON.stringify(policy)]
  const [, inserted] = await db.transaction([holdOrganization(organization), { sql, values, required: true }])
  const row = inserted!.rows[0] as ProjectRow | undefined
  return row && toProject(row)
}

/** Creates the project of that name for its first key. */
export function ensureProject(id: string): Statement {
  const sql = `INSERT INTO projects (id, organization, name, share, created_at, updated_at)
    VALUES ($1, '${DEFAULT}', $1, 'project', now_ms(), now_ms()) ON CONFLICT DO NOTHING`
  return { sql, values: [id] }
}

/**
 * Holds the project until the end of the transaction, so that a key cannot join it while it is changed or deleted: the change
 * would not reach that key.
 */
export function holdProject(id: string): Statement {
  return { sql: 'UPDATE projects SET updated_at = updated_at WHERE id = $1 AND deleted_at IS NULL', values: [id] }
}

export function toProject(row: ProjectRow): StoredProject {
  const { policy, content, claudeCodeSettings } = row
  return {
    ...row,
    policy: policy && JSON.parse(policy),
    content: content && JSON.parse(content),
    claudeCodeSettings: claudeCodeSettings && JSON.parse(claudeCodeSettings),
  }
}
