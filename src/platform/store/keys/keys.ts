import { numberedPlaceholders } from '../conditions.ts'
import type { Policy } from '../../../contract/admin/policy.ts'
import { readCursor, toPage } from '../cursor.ts'
import type { Database, Statement, Value } from '../database.ts'
import { type KeyFilter, keyConditions } from './key-filter.ts'
import { multiRow } from '../multi-row.ts'
import type { Owner } from '../owner.ts'
import { ensureProject, holdProject } from '../projects/projects.ts'

export type StoredKey = {
  id: string
  /** Hex SHA-256 of the whole key: the key itself is never stored. */
  digest: string
  name: string
  kind: 'live' | 'sandbox' | 'admin' | 'session'
  /** Whose content the key uses: that of its project, its own, that of another key, or that of its person. */
  ownerKind: KeyOwner['ownerKind']
  ownerId: string
  region: string
  scopes: string[] | null
  /** Networks and addresses that may use the key; null for all. */
  allowedIps: string[] | null
  last4: string
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
  /** When it was created or last changed, by the store's clock. */
  updatedAt: number
  /** The secrets before its rotations, also those whose time is over. */
  formerSecrets: FormerSecret[]
  project: string
  user: string | null
  policy: Policy | null
  /** How many of its next requests are recorded with their content, and until when; null if that was never asked for. */
  recordLeft: number | null
  recordUntil: number | null
  recordMode: 'redacted' | 'full' | null
  /** What the project says at the moment of reading. */
  organization: string
  projectRegion: string | null
  projectPolicy: Policy | null
}

type KeyOwner = Pick<Owner, 'ownerId'> & { ownerKind: 'project' | 'key' | 'person' }

type FormerSecret = { digest: string; validUntil: number }

type OfProject = 'organization' | 'projectRegion' | 'projectPolicy'
type Later =
  | 'recordLeft'
  | 'recordUntil'
  | 'recordMode'
  | 'createdAt'
  | 'revokedAt'
  | 'lastUsedAt'
  | 'updatedAt'
  | 'formerSecrets'
export type NewKey = Omit<StoredKey, Later | OfProject>
/** `contentOf` is another key, whose content it uses. Otherwise the sharing mode of the project decides. */
type KeyToInsert = Omit<NewKey, keyof KeyOwner> & { contentOf?: string | null | undefined }

type InsertOptions = { createsProject?: boolean; demands?: readonly Statement[] | undefined }

type KeyPage = { keys: StoredKey[]; nextCursor: string | null }

type Packed = 'scopes' | 'allowedIps' | 'formerSecrets' | 'policy' | 'projectPolicy'
export type KeyRow = Omit<StoredKey, Packed> & Record<Packed, string | null>

export const KEY_COLUMNS = `id, digest, name, kind, owner_kind AS "ownerKind", owner_id AS "ownerId", region, scopes, allowed_ips AS "allowedIps", last4,
  created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt",
  updated_at AS "updatedAt", project, user_id AS "user", policy,
  record_left AS "recordLeft", record_until AS "recordUntil", record_mode AS "recordMode",
  COALESCE((SELECT organization FROM projects WHERE projects.id = keys.project), 'default') AS "organization",
  (SELECT projects.region FROM projects WHERE projects.id = keys.project) AS "projectRegion",
  (SELECT projects.policy FROM projects WHERE projects.id = keys.project) AS "projectPolicy", (SELECT string_agg(former.digest || ':' || CAST(former.valid_until AS TEXT), ',')
    FROM former_secrets AS former WHERE former.key_id = keys.id) AS "formerSecrets"`

/**
 * Returns undefined if that digest is stored already, which happens when several processes start with the same configured
 * key, and if its project was deleted. `createsProject`: a project that does not exist is created. `demands` have to find something.
 */
export async function insertKey(
  db: Database,
  key: KeyToInsert,
  { createsProject = false, demands = [] }: InsertOptions = {},
): Promise<StoredKey | undefined> {
  const project = [...(createsProject ? [ensureProject(key.project)] : []), holdProject(key.project), ...demands]
  const results = await db.transaction([...project, insertion(key)])
  const row = results.at(-1)!.rows[0] as KeyRow | undefined
  return row && toKey(row)
}

function insertion(key: KeyToInsert): Statement {
  const kind = "CASE WHEN share = 'key' OR CAST($5 AS TEXT) IS NOT NULL THEN 'key' ELSE 'project' END"
  const owner = "COALESCE(CAST($5 AS TEXT), CASE share WHEN 'key' THEN $1 ELSE projects.id END)"
  return {
    sql: `INSERT INTO keys (id, digest, name, kind, owner_kind, owner_id, region, scopes, last4, expires_at, allowed_ips,
       project, user_id, policy, created_at, updated_at)
     SELECT $1, $2, $3, $4, ${kind}, ${owner}, $6, $7, $8, CAST($9 AS BIGINT), $10, projects.id, $12, $13, now_ms(), now_ms()
     FROM projects WHERE id = $11 AND deleted_at IS NULL
     ON CONFLICT (digest) DO NOTHING RETURNING ${KEY_COLUMNS}`,
    values: [
      key.id,
      key.digest,
      key.name,
      key.kind,
      key.contentOf ?? null,
      key.region,
      key.scopes && JSON.stringify(key.scopes),
      key.last4,
      key.expiresAt,
      key.allowedIps && JSON.stringify(key.allowedIps),
      key.project,
      key.user,
      key.policy && JSON.stringify(key.policy),
    ],
    required: true,
  }
}

/**
 * Finds keys by their secrets, also by former ones, and revoked and expired keys too. The store does not decide what such a
 * key may still do.
 */
export async function findKeysByDigest(db: Database, digests: readonly string[]): Promise<StoredKey[]> {
  const size = LOOKUP_SIZES.find((size) => size >= digests.length) ?? digests.length
  // There are only a few sizes, so that few texts are prepared. A digest that is named twice is found once.
  const values = Array.from({ length: size }, (_, index) => digests[index] ?? digests[0]!)
  const places = numberedPlaceholders(values)
  const sql = `SELECT ${KEY_COLUMNS} FROM keys WHERE id IN (SELECT id FROM keys WHERE digest IN (${places})
    UNION ALL SELECT key_id FROM former_secrets WHERE digest IN (${places}))`
  return (await db.query<KeyRow>(sql, values)).map(toKey)
}

const LOOKUP_SIZES = [1, 10, 100, 200]

export async function findKey(db: Database, id: string): Promise<StoredKey | undefined> {
  const [row] = await db.query<KeyRow>(`SELECT ${KEY_COLUMNS} FROM keys WHERE id = $1`, [id])
  return row && toKey(row)
}

/** Newest first. */
export async function listKeys(
  db: Database,
  { limit, cursor, ...filter }: KeyFilter & { limit: number; cursor?: string | undefined },
): Promise<KeyPage> {
  const values: Value[] = [limit + 1]
  const { add, where } = keyConditions(values, filter)
  if (cursor !== undefined) add('(created_at, id) < (?, ?)', readCursor(cursor))
  const sql = `SELECT ${KEY_COLUMNS} FROM keys ${where()} ORDER BY created_at DESC, id DESC LIMIT $1`
  const { items: keys, nextCursor } = toPage((await db.query<KeyRow>(sql, values)).map(toKey), limit)
  return { keys, nextCursor }
}

/** Returns the key that is now revoked, by this call or an earlier one, and undefined for an unknown id. */
export async function revokeKey(db: Database, id: string): Promise<StoredKey | undefined> {
  const [row] = await db.query<KeyRow>(
    `UPDATE keys SET revoked_at = COALESCE(revoked_at, now_ms()),
       updated_at = CASE WHEN revoked_at IS NOT NULL THEN updated_at ELSE now_ms() END
     WHERE id = $1 RETURNING ${KEY_COLUMNS}`,
    [id],
  )
  return row && toKey(row)
}

/** The kinds of which at least one key is not revoked. The first start creates the missing ones. */
export async function kindsOfKeys(db: Database): Promise<Set<string>> {
  const rows = await db.query<{ kind: string }>('SELECT DISTINCT kind FROM keys WHERE revoked_at IS NULL')
  return new Set(rows.map(({ kind }) => kind))
}

/** Moves `lastUsedAt` only forward, because several processes report the same key in any order. */
export async function touchKeys(db: Database, uses: readonly KeyUse[]): Promise<void> {
  if (uses.length > 0) await db.transaction(touchStatements(uses))
}

type KeyUse = { id: string; at: number }

const touchStatements = multiRow<KeyUse>({
  columns: 2,
  // Both databases use these names for the columns of VALUES. PostgreSQL takes bare parameters there for text, hence the
  // cast.
  sql: (tuples) => `UPDATE keys SET last_used_at = CAST(seen.column2 AS BIGINT) FROM (VALUES ${tuples}) AS seen
    WHERE keys.id = seen.column1
      AND (keys.last_used_at IS NULL OR keys.last_used_at < CAST(seen.column2 AS BIGINT))`,
  append: (values, { id, at }) => values.push(id, at),
})

export function toKey(row: KeyRow): StoredKey {
  const { scopes, allowedIps, policy, projectPolicy, formerSecrets } = row
  return {
    ...row,
    scopes: parsed(scopes),
    allowedIps: parsed(allowedIps),
    policy: parsed(policy),
    projectPolicy: parsed(projectPolicy),
    formerSecrets: formerSecrets === null ? [] : formerSecrets.split(',').map(toFormerSecret),
  }
}

function parsed(text: string | null) {
  return text === null ? null : JSON.parse(text)
}

function toFormerSecret(text: string): FormerSecret {
  const [digest, validUntil] = text.split(':')
  return { digest: digest!, validUntil: Number(validUntil) }
}
