import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Database } from '../database.ts'
import { sqlitePath } from '../sqlite.ts'

// SQLite keeps the pages of removed rows in its file and uses them again. With incremental vacuum it can also return them to
// the disk, some at a time. That needs a file layout that new databases have, and that older ones get from one full VACUUM.

const INCREMENTAL = 2
const SQLITE_BUSY = 5
/** About 1 MB, which takes a few milliseconds. */
const PAGES_AT_ONCE = 256

export type FreePages = { bytes: number; canShrink: boolean }

export async function freePages(db: Database): Promise<FreePages> {
  const [free, size, mode] = await db.transaction(
    ['freelist_count', 'page_size', 'auto_vacuum'].map((name) => ({
      sql: `SELECT ${name} AS number FROM pragma_${name}`,
    })),
  )
  const numberIn = (result: typeof free) => Number(result!.rows[0]!.number)
  return { bytes: numberIn(free) * numberIn(size), canShrink: numberIn(mode) === INCREMENTAL }
}

/** Returns some free pages to the disk. */
export async function vacuumSome(db: Database): Promise<void> {
  await db.query(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`)
}

/**
 * Rewrites the whole file, which takes about as much free space on the disk, and returns its sizes before and after. Returns
 * undefined if another process uses the file: that process could not write to it in the meantime.
 */
export function vacuumAll(dataDir: string): { before: number; after: number } | undefined {
  const path = sqlitePath(dataDir)
  const before = statSync(path).size
  const connection = new DatabaseSync(path, { timeout: 0 })
  try {
    // Other processes have the file open in WAL mode, which can only be left by the last one.
    connection.exec('PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = INCREMENTAL; VACUUM; PRAGMA journal_mode = WAL')
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined
    throw error
  } finally {
    connection.close()
  }
  return { before, after: statSync(path).size }
}
