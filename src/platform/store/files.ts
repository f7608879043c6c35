import { numberedPlaceholders } from './conditions.ts'
import type { Database, Value } from './database.ts'
import { NOT_DELETED, OWNER_COLUMNS, OWNER_FIELDS, type Owner, ownerPlaceholders, ownerValues } from './owner.ts'
import { scanFairly, storedBytes } from './owner-scans.ts'

export type StoredFile = Owner & {
  id: string
  name: string
  size: number
  type: string
  /** Of the bytes, as hexadecimal digits. Null of an upload in parts. */
  sha256: string | null
  purpose: string
  /** JSON: what was detected in the file, such as the number of pages. */
  metadata: string
  /** `upload` for callers' files, `result` for files that a task produced, `open` and `part` for an upload in parts (`file-parts.ts`). */
  origin: 'upload' | 'result' | 'open' | 'part'
  createdAt: number
  expiresAt: number
}

/** `endUser`: whom the content is about, as the caller names that person. */
export type NewFile = Omit<StoredFile, 'createdAt' | 'expiresAt' | 'sha256'> & {
  lifetimeMs: number
  sha256?: string | null
  endUser?: string | null
  uploadId?: string
}

export const COLUMNS = `id, ${OWNER_FIELDS}, name, size, type, sha256, purpose, metadata, origin, created_at AS "createdAt",
  expires_at AS "expiresAt"`
/** A file, and not an upload in parts. */
const WHOLE = `origin IN ('upload', 'result')`
const ALIVE = 'expires_at > now_ms()'
const LISTED = `owner = $1 AND origin = 'upload' AND ${ALIVE}`

/**
 * Adds the file if what the owner has stored stays within the quota, and returns undefined otherwise. The inserting statement
 * computes the sum itself, so that parallel uploads cannot all see the same free space on SQLite. On PostgreSQL they may
 * exceed the quota by what arrives in the same instant. The clock is read once, because it advances within a statement.
 */
export async function insertFile(db: Database, file: NewFile, quotaBytes: number): Promise<StoredFile | undefined> {
  const { sql, values } = insertion(file, quotaBytes)
  const [row] = await scanFairly(db, file.owner, () => db.query<StoredFile>(sql, values))
  return row
}

export function insertion(file: NewFile, quotaBytes: number): { sql: string; values: Value[] } {
  const sql = `INSERT INTO files (id, name, size, type, purpose, metadata, origin, created_at, expires_at, end_user, upload_id, sha256, ${OWNER_COLUMNS})
     WITH clock AS MATERIALIZED (SELECT now_ms() AS now)
     SELECT $1, $2, CAST($3 AS BIGINT), $4, $5, $6, $7, now, now + CAST($8 AS BIGINT), $9, CAST($11 AS TEXT), CAST($12 AS TEXT), ${ownerPlaceholders(13)} FROM clock
     WHERE ${storedBytes('$16')} + CAST($3 AS BIGINT) <= CAST($10 AS BIGINT)
     RETURNING ${COLUMNS}`
  const values = [
    file.id,
    file.name,
    file.size,
    file.type,
    file.purpose,
    file.metadata,
    file.origin,
    file.lifetimeMs,
    file.endUser ?? null,
    quotaBytes,
    file.uploadId ?? null,
    file.sha256 ?? null,
    ...ownerValues(file),
  ]
  return { sql, values }
}

export async function findFile(db: Database, owner: string, id: string): Promise<StoredFile | undefined> {
  const sql = `SELECT ${COLUMNS} FROM files WHERE id = $2 AND owner = $1 AND ${WHOLE} AND ${ALIVE}`
  return (await db.query<StoredFile>(sql, [owner, id]))[0]
}

/** In the order of their upload, newest first. */
export async function findFiles(db: Database, owner: string, ids: readonly string[]): Promise<StoredFile[]> {
  const places = ids.map((_, at) => `$${at + 2}`).join(', ')
  const sql = `SELECT ${COLUMNS} FROM files WHERE ${LISTED} AND id IN (${places}) ORDER BY created_at DESC, id DESC`
  return await db.query<StoredFile>(sql, [owner, ...ids])
}

/** For links that carry their own permission, so the owner is not checked. */
export async function findResult(db: Database, id: string): Promise<StoredFile | undefined> {
  const sql = `SELECT ${COLUMNS} FROM files WHERE id = $1 AND origin = 'result' AND ${ALIVE} AND ${NOT_DELETED}`
  return (await db.query<StoredFile>(sql, [id]))[0]
}

type FilePage = { files: StoredFile[]; total: number }

/** Newest first. */
export async function listFiles(
  db: Database,
  { owner, purpose, page, limit }: { owner: string; purpose?: string | undefined; page: number; limit: number },
): Promise<FilePage> {
  const where = purpose === undefined ? LISTED : `${LISTED} AND purpose = $2`
  const values = purpose === undefined ? [owner] : [owner, purpose]
  const offset = (page - 1) * limit
  const sql = `SELECT ${COLUMNS} FROM files WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`
  const list = () => db.query<StoredFile>(sql, values)
  const total = () => db.query<{ total: number }>(`SELECT COUNT(*) AS "total" FROM files WHERE ${where}`, values)
  const [files, count] = await scanFairly(db, owner, () => Promise.all([list(), total()]))
  return { files, total: count[0]?.total ?? 0 }
}

export type FileQuery = { owner: string; purpose?: string | undefined; order: 'asc' | 'desc'; limit: number }

/** The files of an owner behind one of them, or from the first. */
export async function listFilesAfter(
  db: Database,
  { owner, purpose, order, limit }: FileQuery,
  after: StoredFile | undefined,
): Promise<StoredFile[]> {
  const values: (string | number)[] = [owner]
  const placeholder = (value: string | number) => `$${values.push(value)}`
  const conditions = [LISTED]
  if (purpose !== undefined) conditions.push(`purpose = ${placeholder(purpose)}`)
  if (after) {
    const at = placeholder(after.createdAt)
    const sign = order === 'asc' ? '>' : '<'
    conditions.push(`(created_at ${sign} ${at} OR (created_at = ${at} AND id ${sign} ${placeholder(after.id)}))`)
  }
  const sql = `SELECT ${COLUMNS} FROM files WHERE ${conditions.join(' AND ')}
    ORDER BY created_at ${order}, id ${order} LIMIT ${limit}`
  return await scanFairly(db, owner, () => db.query<StoredFile>(sql, values))
}

/** A condition: the file is the input of a batch that has not ended, which still reads it. */
export const IS_READ = 'EXISTS (SELECT 1 FROM batches WHERE batches.input_file = files.id AND batches.ended_at IS NULL)'

/** Those of the files that batches still read. */
export async function findRead(db: Database, owner: string, ids: readonly string[]): Promise<string[]> {
  const sql = `SELECT id FROM files WHERE owner = $1 AND id IN (${numberedPlaceholders(ids, 2)}) AND ${IS_READ}`
  return (await db.query<{ id: string }>(sql, [owner, ...ids])).map(({ id }) => id)
}

/**
 * Returns the ids that existed, so that their bytes can be deleted too. Ids of other owners are ignored, and so are files that batches still
 * read.
 */
export async function deleteFiles(db: Database, owner: string, ids: readonly string[] | 'all'): Promise<string[]> {
  const which = ids === 'all' ? `origin <> 'result'` : `${WHOLE} AND id IN (${numberedPlaceholders(ids, 2)})`
  const sql = `DELETE FROM files WHERE owner = $1 AND ${which} AND NOT ${IS_READ} RETURNING id`
  const values = ids === 'all' ? [owner] : [owner, ...ids]
  return (await scanFairly(db, owner, () => db.query<{ id: string }>(sql, values))).map(({ id }) => id)
}

/** The ids of files of all owners, in their order. */
export async function listFileIds(db: Database, after: string, limit: number): Promise<string[]> {
  const sql = `SELECT id FROM files WHERE id > $1 AND ${ALIVE} ORDER BY id LIMIT $2`
  return (await db.query<{ id: string }>(sql, [after, limit])).map(({ id }) => id)
}

/** Deletes some expired files that no batch reads any more. */
export async function deleteExpired(db: Database, limit: number): Promise<string[]> {
  const sql = `DELETE FROM files WHERE id IN (SELECT id FROM files WHERE expires_at <= now_ms() AND NOT ${IS_READ} LIMIT $1) RETURNING id`
  return (await db.query<{ id: string }>(sql, [limit])).map(({ id }) => id)
}
