import { numberedPlaceholders } from '../conditions.ts'
import type { Database, Statement, Value } from '../database.ts'

/** `settings` is JSON, which the store does not read. `setBy`: with which rights it was set. */
export type StoredLimit = { id: string; setBy: string; settings: string; createdAt: number; updatedAt: number }

const COLUMNS = 'id, set_by AS "setBy", settings, created_at AS "createdAt", updated_at AS "updatedAt"'
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
  return await db.query<StoredLimit>(`SELECT ${COLUMNS} FROM limits WHERE id IN (${numberedPlaceholders(ids)})`, ids)
}

export async function countStoredLimits(db: Database): Promise<number> {
  return (await db.query<{ count: number }>('SELECT CAST(COUNT(*) AS BIGINT) AS count FROM limits'))[0]!.count
}

/** Whose limit it is: a kind of holder, such as `project`, and its id. What holds for all has no id. */
export type LimitHolder = { holder: string; id: string | null }

/** How many limits one holder may have that were set with the same rights. */
export type HolderQuota = { appliesTo: LimitHolder; setBy: string; max: number }
type NewLimit = { id: string; settings: string; max: number; quota: HolderQuota }

/** Returns false if there is a limit with this id, if there are `max` limits, or if the holder has as many as it may have. */
export async function insertLimit(db: Database, { id, settings, max, quota }: NewLimit): Promise<boolean> {
  const sql = `INSERT INTO limits (id, settings, holder, holder_id, set_by, created_at, updated_at)
    SELECT $1, $2, ${holderPlaceholders(3)}, now_ms(), now_ms() WHERE (SELECT COUNT(*) FROM limits) < $6 AND ${ofHolder(3)} < $7
    ON CONFLICT (id) DO NOTHING RETURNING id`
  return await changed(db, { sql, values: [id, settings, ...holderValues(quota), max, quota.max] })
}

export async function hasRoom(db: Database, quota: HolderQuota): Promise<boolean> {
  const sql = `SELECT CAST(${ofHolder(1)} AS BIGINT) AS count`
  return (await db.query<{ count: number }>(sql, holderValues(quota)))[0]!.count < quota.max
}

function holderValues({ appliesTo, setBy }: HolderQuota): Value[] {
  return [appliesTo.holder, appliesTo.id, setBy]
}

function holderPlaceholders(first: number): [holder: string, id: string, setBy: string] {
  const placeholder = (index: number) => `CAST($${first + index} AS TEXT)`
  return [placeholder(0), placeholder(1), placeholder(2)]
}

/** How many limits the holder has, whose values begin at this place. */
function ofHolder(first: number): string {
  const [holder, id, setBy] = holderPlaceholders(first)
  return `(SELECT COUNT(*) FROM limits
    WHERE holder = ${holder} AND COALESCE(holder_id, '') = COALESCE(${id}, '') AND set_by = ${setBy})`
}

/** `quota` if the limit gets another holder, or is set with other rights. */
type Change = { id: string; before: string; after: string; quota: HolderQuota | undefined }

/** Returns false if the limit is not what it was when it was read, or if its new holder has as many as it may have. */
export async function replaceLimit(db: Database, { id, before, after, quota }: Change): Promise<boolean> {
  const isSame = 'WHERE id = $1 AND settings = $2'
  if (!quota) {
    const sql = `UPDATE limits SET settings = $3, updated_at = now_ms() ${isSame} RETURNING id`
    return await changed(db, { sql, values: [id, before, after] })
  }
  const sql = `UPDATE limits SET settings = $6, (holder, holder_id, set_by) = (${holderPlaceholders(3)}), updated_at = now_ms()
    ${isSame} AND ${ofHolder(3)} < $7 RETURNING id`
  return await changed(db, { sql, values: [id, before, ...holderValues(quota), after, quota.max] })
}

/** What was spent stays: a limit that is made again with the same id goes on where this one ended. */
export async function deleteLimit(db: Database, id: string): Promise<boolean> {
  return await changed(db, { sql: 'DELETE FROM limits WHERE id = $1 RETURNING id', values: [id] })
}

/** Limits end with their holders. `isMeant` is a condition on the columns of the holder. What was spent of them stays with the ledger. */
export function limitsEnd(id: string, isMeant: string): Statement[] {
  return [NEW_VERSION, { sql: `DELETE FROM limits WHERE ${isMeant}`, values: [id] }]
}

async function changed(db: Database, change: Statement): Promise<boolean> {
  const [, result] = await db.transaction([NEW_VERSION, { ...change, required: true }])
  return (result?.changes ?? 0) > 0
}
