import type { Policy } from '../../contract/admin/policy.ts'
import type { Database, Statement } from '../database.ts'

/** Whose files, jobs and responses a key of the project uses: those of the project, or its own. */
export type Share = 'project' | 'key'

export type StoredProject = {
  id: string
  organization: string
  name: string
  share: Share
  region: string | null
  policy: Policy | null
  createdAt: number
  updatedAt: number
  /** From then on its keys are refused. Its content is removed afterwards. */
  deletedAt: number | null
  purgedAt: number | null
}

/** Keys without a project. They share nothing. */
export const PERSONAL = 'personal'
/** The project of `GATEHOUSE_API_KEY`, and the organization of projects that name none. */
const DEFAULT = 'default'

type ProjectRow = Omit<StoredProject, 'policy'> & { policy: string | null }

const PROJECT_COLUMNS = `id, organization, name, share, region, policy, created_at AS "createdAt",
  updated_at AS "updatedAt", deleted_at AS "deletedAt", purged_at AS "purgedAt"`

/** Also finds a project that was deleted. */
export async function findProject(db: Database, id: string): Promise<StoredProject | undefined> {
  const [row] = await db.query<ProjectRow>(`SELECT ${PROJECT_COLUMNS} FROM projects WHERE id = $1`, [id])
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

function toProject(row: ProjectRow): StoredProject {
  return { ...row, policy: row.policy === null ? null : JSON.parse(row.policy) }
}
