import type { Database, Statement } from '../database.ts'
import type { NewKey } from './keys.ts'
import { multiRow } from '../multi-row.ts'

/** A key that another gateway has made. `isBlocked`: it is refused there. */
export type ImportedKey = NewKey & { importedFrom: string; createdAt: number; isBlocked: boolean }

type ImportCounts = { added: number; present: number; revoked: number }

/**
 * Adds all keys or none, after what else belongs to the import. A key that is there already stays as it is, because an operator
 * may have changed it here, except that a key which is blocked at its source is revoked here too.
 */
export async function importKeys(
  db: Database,
  keys: readonly ImportedKey[],
  first: readonly Statement[] = [],
): Promise<ImportCounts> {
  const insertions = insertStatements(keys)
  const revocations = revokeStatements(keys.filter(({ isBlocked }) => isBlocked))
  const results = (await db.transaction([...first, ...insertions, ...revocations])).slice(first.length)
  const changes = (part: readonly { changes: number }[]) => part.reduce((sum, { changes }) => sum + changes, 0)
  const added = changes(results.slice(0, insertions.length))
  return { added, present: keys.length - added, revoked: changes(results.slice(insertions.length)) }
}

/** Those of these keys that an import would add or revoke. */
export async function pendingKeys(db: Database, keys: readonly ImportedKey[]): Promise<ImportedKey[]> {
  const sql = 'SELECT id, digest, revoked_at AS "revokedAt" FROM keys'
  const rows = await db.query<{ id: string; digest: string; revokedAt: number | null }>(sql)
  const ids = new Map(rows.map(({ id, revokedAt }) => [id, revokedAt]))
  const digests = new Set(rows.map(({ digest }) => digest))
  return keys.filter(({ id, digest, isBlocked }) => {
    if (ids.has(id)) return isBlocked && ids.get(id) === null
    return !digests.has(digest)
  })
}

const COLUMNS = `id, digest, name, kind, owner_kind, owner_id, region, scopes, last4, expires_at, allowed_ips, imported_from, created_at,
  updated_at, project, user_id, policy`

/** Without a target, the conflict is that of the id or of the digest: a key that was rotated here has another digest. */
const insertStatements: (keys: readonly ImportedKey[]) => Statement[] = multiRow<ImportedKey>({
  columns: 17,
  sql: (tuples) => `INSERT INTO keys (${COLUMNS}) VALUES ${tuples} ON CONFLICT DO NOTHING`,
  append: (values, { id, digest, name, kind, ownerKind, ownerId, region, scopes, last4, ...key }) => {
    values.push(id, digest, name, kind, ownerKind, ownerId, region)
    values.push(scopes && JSON.stringify(scopes), last4, key.expiresAt)
    values.push(key.allowedIps && JSON.stringify(key.allowedIps), key.importedFrom, key.createdAt, key.createdAt)
    values.push(key.project, key.user, key.policy && JSON.stringify(key.policy))
  },
})

const revokeStatements = multiRow<ImportedKey>({
  columns: 1,
  sql: (tuples) => `UPDATE keys SET revoked_at = now_ms(), updated_at = now_ms()
    WHERE revoked_at IS NULL AND imported_from IS NOT NULL AND id IN (VALUES ${tuples})`,
  append: (values, { id }) => values.push(id),
})
