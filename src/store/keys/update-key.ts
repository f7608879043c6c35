import type { Database, Statement, Value } from '../database.ts'
import { KEY_COLUMNS, type KeyRow, type StoredKey, toKey } from '../keys.ts'
import { noContentOf } from '../projects/owned-content.ts'
import { holdProject } from '../projects/projects.ts'

/** What can be changed of a key. A member that is absent stays as it is. */
export type KeyChanges = Partial<
  Pick<StoredKey, 'name' | 'region' | 'scopes' | 'allowedIps' | 'expiresAt' | 'user' | 'policy' | 'project'>
>

const COLUMNS: Record<Exclude<keyof KeyChanges, 'project'>, string> = {
  name: 'name',
  region: 'region',
  scopes: 'scopes',
  allowedIps: 'allowed_ips',
  expiresAt: 'expires_at',
  user: 'user_id',
  policy: 'policy',
}

/**
 * Returns undefined for an unknown id, for a key that is revoked, for a project that does not exist, and for a key with content
 * of its own that would no longer see it in the other project.
 */
export async function updateKey(db: Database, id: string, changes: KeyChanges): Promise<StoredKey | undefined> {
  const results = await db.transaction(updateStatements(id, changes))
  const row = results.at(-1)!.rows[0] as KeyRow | undefined
  return row && toKey(row)
}

/** The last one returns the key, or nothing if the key cannot be changed in this way. */
export function updateStatements(id: string, changes: KeyChanges): Statement[] {
  const { project } = changes
  const named = (Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]).filter((name) => changes[name] !== undefined)
  const assignments = named.map((name, index) => `${COLUMNS[name]} = $${index + 2}, `)
  const values = [id, ...named.map((name) => storedValue(changes[name]!)), ...(project === undefined ? [] : [project])]
  const move = project === undefined ? { assignment: '', condition: '' } : moving(`$${values.length}`)
  const sql = `UPDATE keys SET ${assignments.join('')}${move.assignment}updated_at = now_ms()
     WHERE id = $1 AND revoked_at IS NULL ${move.condition} RETURNING ${KEY_COLUMNS}`
  return [...(project === undefined ? [] : [holdProject(project)]), { sql, values, required: true }]
}

/** `place` is the placeholder of the project's id. */
function moving(place: string) {
  const share = `(SELECT share FROM projects WHERE projects.id = ${place} AND deleted_at IS NULL)`
  const keeps = `owner <> id OR ${share} = 'key' OR project = ${place} OR (${noContentOf('SELECT CAST($1 AS TEXT)')})`
  return {
    assignment: `project = ${place}, owner = CASE WHEN project = ${place} THEN owner WHEN ${share} = 'key' THEN id ELSE ${place} END, `,
    condition: `AND ${share} IS NOT NULL AND (${keeps})`,
  }
}

function storedValue(change: string | number | object | null): Value {
  return typeof change === 'object' && change !== null ? JSON.stringify(change) : change
}
