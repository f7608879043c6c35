import type { Database } from './database.ts'
import { COLUMNS, insertion, type NewFile, type StoredFile } from './files.ts'
import { NOT_DELETED } from './owner.ts'
import { scanFairly } from './owner-scans.ts'

// An upload in parts is a row of `files` that is no file yet (`open`), and a row for each part (`part`). So its bytes count
// towards the quota of the owner, and it is deleted like any file: when it expires, with its owner, with its project.

const OPEN = `owner = $1 AND id = $2 AND origin = 'open' AND expires_at > now_ms()`
const PARTS = `owner = $1 AND upload_id = $2 AND origin = 'part'`

export async function findOpenUpload(db: Database, owner: string, id: string): Promise<StoredFile | undefined> {
  return (await db.query<StoredFile>(`SELECT ${COLUMNS} FROM files WHERE ${OPEN}`, [owner, id]))[0]
}

/** For links that carry their own permission, so the owner is not checked. */
export async function findLinkedUpload(db: Database, id: string): Promise<StoredFile | undefined> {
  const sql = `SELECT ${COLUMNS} FROM files WHERE id = $1 AND origin = 'open' AND expires_at > now_ms() AND ${NOT_DELETED}`
  return (await db.query<StoredFile>(sql, [id]))[0]
}

export async function countOpenUploads(db: Database, owner: string): Promise<number> {
  const sql = `SELECT COUNT(*) AS "total" FROM files WHERE owner = $1 AND origin = 'open' AND expires_at > now_ms()`
  const [row] = await scanFairly(db, owner, () => db.query<{ total: number }>(sql, [owner]))
  return Number(row?.total ?? 0)
}

export async function listParts(db: Database, owner: string, upload: string): Promise<StoredFile[]> {
  return await db.query<StoredFile>(`SELECT ${COLUMNS} FROM files WHERE ${PARTS}`, [owner, upload])
}

/**
 * The file takes the place of the parts, and the upload remembers it, in one transaction. Returns the ids of the parts, whose
 * bytes can be deleted now; undefined if the upload has changed meanwhile, or the file does not fit into the quota.
 */
export async function completeUpload(
  db: Database,
  upload: StoredFile,
  file: NewFile,
  { metadata, quotaBytes }: { metadata: string; quotaBytes: number },
): Promise<{ stored: StoredFile; parts: string[] } | undefined> {
  const { owner, id } = upload
  const changed = `UPDATE files SET metadata = $3 WHERE ${OPEN} AND metadata = $4 RETURNING id`
  const results = await db.transaction([
    { sql: changed, values: [owner, id, metadata, upload.metadata], required: true },
    { sql: `DELETE FROM files WHERE ${PARTS} RETURNING id`, values: [owner, id] },
    { ...insertion(file, quotaBytes), required: true },
  ])
  const stored = results[2]?.rows[0] as StoredFile | undefined
  return stored && { stored, parts: results[1]!.rows.map((row) => String(row.id)) }
}

/** Returns the ids of the upload and of its parts; none if there is no such upload, or it is complete. */
export async function cancelUpload(db: Database, upload: StoredFile): Promise<string[]> {
  const { owner, id, metadata } = upload
  const results = await db.transaction([
    {
      sql: `DELETE FROM files WHERE ${OPEN} AND metadata = $3 RETURNING id`,
      values: [owner, id, metadata],
      required: true,
    },
    { sql: `DELETE FROM files WHERE ${PARTS} RETURNING id`, values: [owner, id] },
  ])
  return results.length < 2 ? [] : results.flatMap(({ rows }) => rows.map((row) => String(row.id)))
}
