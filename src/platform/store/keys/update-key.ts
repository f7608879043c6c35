import type { Database, Statement, Value } from '../database.ts'
import { KEY_COLUMNS, type KeyRow, type StoredKey, toKey } from './keys.ts'
import { isOfKey, ownerKey } from '../owner.ts'
import { MOVED_TABLES, noContent } from '../projects/owned-content.ts'
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
  const first = project === undefined ? [] : [holdProject(project), ...contentMoves(id, project)]
  return [...first, { sql, values, required: true }]
}

/** A key that shares nothing takes along what it has stored, to a project where keys do not share either. */
function contentMoves(id: string, project: string): Statement[] {
  const owner = ownerKey({ project, ownerKind: 'key', ownerId: id })
  return MOVED_TABLES.map((table) => ({
    sql: `UPDATE ${table} SET project = projects.id, organization = projects.organization, owner = $3 FROM projects
      WHERE projects.id = $2 AND projects.share = 'key' AND projects.deleted_at IS NULL
        AND ${table}.project <> $2 AND ${isOfKey('$1')}`,
    values: [id, project, owner],
  }))
}

/** `placeholder` is the placeholder of the project's id. */
function moving(placeholder: string) {
  const share = `(SELECT share FROM projects WHERE projects.id = ${placeholder} AND deleted_at IS NULL)`
  const isOwner = "owner_kind = 'key' AND owner_id = id"
  const keeps = `NOT (${isOwner}) OR ${share} = 'key' OR project = ${placeholder} OR (${noContent(isOfKey('$1'))})`
  const owner = (column: string, ofKey: string, ofProject: string) =>
    `${column} = CASE WHEN project = ${placeholder} THEN ${column} WHEN ${share} = 'key' THEN ${ofKey} ELSE ${ofProject} END`
  return {
    assignment: `project = ${placeholder}, ${owner('owner_kind', "'key'", "'project'")}, ${owner('owner_id', 'id', placeholder)}, `,
    condition: `AND ${share} IS NOT NULL AND (${keeps})`,
  }
}

function storedValue(change: string | number | object | null): Value {
  return typeof change === 'object' && change !== null ? JSON.stringify(change) : change
}
