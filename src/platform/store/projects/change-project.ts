import type { Database, Statement, Value } from '../database.ts'
import { membersMove } from '../people/members.ts'
import { holdOrganization } from './hold-organization.ts'
import { noContent } from './owned-content.ts'
import { PROJECT_COLUMNS, type ProjectRow, type StoredProject, toProject } from './projects.ts'

/** What can be changed of a project. A member that is absent stays as it is. */
export type ProjectChanges = Partial<
  Pick<StoredProject, 'name' | 'organization' | 'share' | 'region' | 'policy' | 'content' | 'claudeCodeSettings'>
>

const COLUMNS: Record<keyof ProjectChanges, string> = {
  name: 'name',
  organization: 'organization',
  share: 'share',
  region: 'region',
  policy: 'policy',
  content: 'content',
  claudeCodeSettings: 'claude_code_settings',
}

/**
 * Returns undefined for an unknown or deleted project or organization, and for a project with stored content whose sharing mode
 * would change: what one key has stored must not become visible to others. The keys of the project are marked as changed, so
 * that all processes read them again, with what their project says now.
 */
export async function changeProject(
  db: Database,
  id: string,
  changes: ProjectChanges,
): Promise<StoredProject | undefined> {
  const { organization } = changes
  const locks = organization === undefined ? [] : [holdOrganization(organization)]
  const moved = organization === undefined ? [] : membersMove(id, organization)
  const results = await db.transaction([...locks, update(id, changes), keysOf(id, changes), ...moved])
  const row = results[locks.length]!.rows[0] as ProjectRow | undefined
  return row && toProject(row)
}

function update(id: string, changes: ProjectChanges): Statement {
  const named = (Object.keys(COLUMNS) as (keyof ProjectChanges)[]).filter((name) => changes[name] !== undefined)
  const placeholderOf = (name: keyof ProjectChanges) => `$${named.indexOf(name) + 2}`
  const assignments = named.map((name) => `${COLUMNS[name]} = ${placeholderOf(name)}, `)
  const conditions = ['id = $1', 'deleted_at IS NULL']
  if (changes.share !== undefined)
    conditions.push(`(share = ${placeholderOf('share')} OR ${noContent('project = $1')})`)
  if (changes.organization !== undefined)
    conditions.push(`EXISTS (SELECT 1 FROM organizations WHERE id = ${placeholderOf('organization')})`)
  return {
    sql: `UPDATE projects SET ${assignments.join('')}updated_at = now_ms()
      WHERE ${conditions.join(' AND ')} RETURNING ${PROJECT_COLUMNS}`,
    values: [id, ...named.map((name) => storedValue(changes[name]!))],
    required: true,
  }
}

/** The sessions of a person share what the person has. */
const APART = `owner_kind = CASE kind WHEN 'session' THEN 'person' ELSE 'key' END,
  owner_id = CASE kind WHEN 'session' THEN user_id ELSE id END`
const TOGETHER = `owner_kind = 'project', owner_id = project`

/** `share` is named only if it changes. */
function keysOf(id: string, { share }: ProjectChanges): Statement {
  if (share === undefined)
    return { sql: 'UPDATE keys SET updated_at = now_ms() WHERE project = $1 AND revoked_at IS NULL', values: [id] }
  const sql = `UPDATE keys SET ${share === 'key' ? APART : TOGETHER}, updated_at = now_ms() WHERE project = $1
    AND EXISTS (SELECT 1 FROM projects WHERE id = $1 AND share = $2 AND deleted_at IS NULL)`
  return { sql, values: [id, share] }
}

function storedValue(change: string | object | null): Value {
  return typeof change === 'object' && change !== null ? JSON.stringify(change) : change
}
