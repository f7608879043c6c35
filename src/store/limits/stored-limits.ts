import { numberedPlaces } from '../conditions.ts'
import type { Database, Statement } from '../database.ts'

/** `settings` is JSON, which the store does not read. */
export type StoredLimit = { id: string; settings: string; createdAt: number; updatedAt: number }

const COLUMNS = 'id, settings, created_at AS "createdAt", updated_at AS "updatedAt"'
/** The row is locked until the change is committed, so that versions are counted in the order of the commits. */
export const NEW_VERSION: Statement = { sql: 'UPDATE limit_versions SET version = version + 1' }

export async function limitVersion(db: Database): Promise<number> {
  return (await db.query<{ version: number }>('SELECT version FROM limit_versions'))[0]?.version ?? 0
}

export function readStoredLimits(db: Database, max: number): Promise<StoredLimit[]> {
  return db.query<StoredLimit>(`SELECT ${COLUMNS} FROM limits ORDER BY id LIMIT $1`, [max])
}

export async function findStoredLimit(db: Database, id: string): Promise<StoredLimit | undefined> {
  return (await db.query<StoredLimit>(`SELECT ${COLUMNS} FROM limits WHERE id = $1`, [id]))[0]
}

export async function findStoredLimits(db: Database, ids: readonly string[]): Promise<StoredLimit[]> {
  if (ids.length === 0) return []
  return await db.query<StoredLimit>(`SELECT ${COLUMNS} FROM limits WHERE id IN (${numberedPlaces(ids)})`, ids)
}

export async function countStoredLimits(db: Database): Promise<number> {
  return (await db.query<{ count: number }>('SELECT CAST(COUNT(*) AS BIGINT) AS count FROM limits'))[0]!.count
}

/** How many limits one holder (`key:<id>`) may have that were set with the same rights. */
export type HolderQuota = { appliesTo: string; setBy: string; max: number }
type NewLimit = { id: string; settings: string; max: number; quota: HolderQuota }

/** Returns false if there is a limit with this id, if there are `max` limits, or if the holder has as many as it may have. */
export async function insertLimit(db: Database, { id, settings, max, quota }: NewLimit): Promise<boolean> {
  const sql = `INSERT INTO limits (id, settings, created_at, updated_at)
    SELECT $1, $2, now_ms(), now_ms() WHERE (SELECT COUNT(*) FROM limits) < $3 AND ${ofHolder(db, 4)} < $7
    ON CONFLICT (id) DO NOTHING RETURNING id`
  return await changed(db, { sql, values: [id, settings, max, ...holderValues(quota), quota.max] })
}

export async function hasRoom(db: Database, quota: HolderQuota): Promise<boolean> {
  const sql = `SELECT CAST(${ofHolder(db, 1)} AS BIGINT) AS count`
  return (await db.query<{ count: number }>(sql, holderValues(quota)))[0]!.count < quota.max
}

function holderValues({ appliesTo, setBy }: HolderQuota): string[] {
  return [JSON.stringify(appliesTo), appliesTo, setBy]
}

/** Only settings that have the text in them are parsed: there may be many others, and damaged ones. */
function ofHolder({ kind }: Database, first: number): string {
  const [$text, $holder, $level] = [0, 1, 2].map((index) => `CAST($${first + index} AS TEXT)`)
  const [contains, member] =
    kind === 'postgres'
      ? ['strpos', (path: string[]) => `CAST(settings AS JSON) #>> '{${path.join()}}'`]
      : ['instr', (path: string[]) => `json_extract(settings, '$.${path.join('.')}')`]
  return `(SELECT COUNT(*) FROM limits WHERE CASE WHEN ${contains}(settings, ${$text}) > 0
    THEN ${member(['entry', 'appliesTo'])} = ${$holder} AND COALESCE(${member(['setBy'])}, 'organization') = ${$level}
    ELSE 1 = 0 END)`
}

/** `quota` if the limit gets another holder, or is set with other rights. */
type Change = { id: string; before: string; after: string; quota: HolderQuota | undefined }

/** Returns false if the limit is not what it was when it was read, or if its new holder has as many as it may have. */
export async function replaceLimit(db: Database, { id, before, after, quota }: Change): Promise<boolean> {
  const room = quota ? `AND ${ofHolder(db, 4)} < $7` : ''
  const sql = `UPDATE limits SET settings = $3, updated_at = now_ms() WHERE id = $1 AND settings = $2 ${room} RETURNING id`
  const more = quota ? [...holderValues(quota), quota.max] : []
  return await changed(db, { sql, values: [id, before, after, ...more] })
}

/** What was spent stays: a limit that is made again with the same id goes on where this one ended. */
export async function deleteLimit(db: Database, id: string): Promise<boolean> {
  return await changed(db, { sql: 'DELETE FROM limits WHERE id = $1 RETURNING id', values: [id] })
}

/**
 * Limits end with their holders. `isMeant` is a condition about the column of the holder (`project:<id>`) and the id $1. What
 * was spent of them stays with the ledger.
 */
export function limitsEnd({ kind }: Database, id: string, isMeant: (holder: string) => string): Statement[] {
  return [NEW_VERSION, { sql: `DELETE FROM limits WHERE ${isMeant(holderColumn(kind))}`, values: [id] }]
}

function holderColumn(kind: Database['kind']): string {
  return kind === 'postgres'
    ? `CAST(settings AS JSON)->'entry'->>'appliesTo'`
    : `json_extract(settings, '$.entry.appliesTo')`
}

async function changed(db: Database, change: Statement): Promise<boolean> {
  const [, result] = await db.transaction([NEW_VERSION, { ...change, required: true }])
  return (result?.changes ?? 0) > 0
}
