import { deleteContentKey } from '../contents/contents.ts'
import type { Database } from '../database.ts'
import { guardrailsEnd } from '../guardrails/stored-guardrails.ts'
import { limitsEnd } from '../limits/stored-limits.ts'
import { membersEnd } from '../people/members.ts'

/**
 * Marks the project as deleted, revokes its keys, and ends its memberships, invitations, limits and guardrails, all or nothing. Returns
 * false if there is no such project, or if it has unfinished jobs and they are not to be given up. Its content is removed
 * afterwards (purge-content.ts).
 */
export async function deleteProject(db: Database, id: string, { force }: { force: boolean }): Promise<boolean> {
  const unfinished = `SELECT 1 FROM jobs WHERE finished_at IS NULL AND project = $1
    UNION ALL SELECT 1 FROM batches WHERE ended_at IS NULL AND project = $1`
  const mark = `UPDATE projects SET deleted_at = now_ms(), updated_at = now_ms()
    WHERE id = $1 AND deleted_at IS NULL ${force ? '' : `AND NOT EXISTS (${unfinished})`} RETURNING id`
  const revoke = `UPDATE keys SET revoked_at = now_ms(), updated_at = now_ms() WHERE project = $1 AND revoked_at IS NULL
    AND EXISTS (SELECT 1 FROM projects WHERE id = $1 AND deleted_at IS NOT NULL)`
  const [marked] = await db.transaction([
    { sql: mark, values: [id], required: true },
    { sql: revoke, values: [id] },
    deleteContentKey(id),
    ...membersEnd(id),
    ...limitsEnd(id, IS_OF_PROJECT_OR_ITS_KEYS),
    ...guardrailsEnd(id, IS_OF_PROJECT_OR_ITS_KEYS),
  ])
  return marked!.rows.length > 0
}

const IS_OF_PROJECT_OR_ITS_KEYS = `holder = 'project' AND holder_id = $1
  OR holder = 'key' AND holder_id IN (SELECT id FROM keys WHERE project = $1)`

/** Projects that were deleted and may still have content, oldest first. */
export async function projectsToPurge(db: Database, limit: number): Promise<{ id: string; deletedAt: number }[]> {
  const sql = `SELECT id, deleted_at AS "deletedAt" FROM projects
    WHERE deleted_at IS NOT NULL AND purged_at IS NULL ORDER BY deleted_at LIMIT $1`
  return await db.query(sql, [limit])
}

/**
 * Notes that nothing is left. Calls that were running when the project was deleted may still store something, so this is believed
 * only some time later.
 */
export async function notePurged(db: Database, id: string, afterMs: number): Promise<void> {
  const sql = 'UPDATE projects SET purged_at = now_ms() WHERE id = $1 AND deleted_at < now_ms() - CAST($2 AS BIGINT)'
  await db.transaction([{ sql, values: [id, afterMs] }])
}
