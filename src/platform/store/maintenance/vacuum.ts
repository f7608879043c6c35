import type { Database } from '../database.ts'

// SQLite keeps the pages of removed rows in its file and uses them again. With incremental vacuum (sqlite-worker.ts creates the
// file so) it can also return them to the disk, some at a time.

/** About 1 MB, which takes a few milliseconds. */
const PAGES_AT_ONCE = 256

export async function freeBytes(db: Database): Promise<number> {
  const sql = 'SELECT freelist_count * page_size AS bytes FROM pragma_freelist_count, pragma_page_size'
  return (await db.query<{ bytes: number }>(sql))[0]!.bytes
}

/** Returns some free pages to the disk. */
export async function vacuumSome(db: Database): Promise<void> {
  await db.query(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`)
}
