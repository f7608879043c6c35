import { existsSync } from 'node:fs'
import { link, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { FILE_NAME } from '../sqlite.ts'

/** The backup was not made. The message is for the operator. */
class BackupError extends Error {
  override readonly name = 'BackupError'
}

const BUSY_TIMEOUT_MS = 60_000

/**
 * Copies the embedded database to a new file while gateways use it. The copy is one moment of the database: SQLite reads all of
 * it in one transaction, and writers go on meanwhile. The file gets its name when it is complete and has been checked.
 */
export async function backUpSqlite(dataDir: string, target: string): Promise<{ bytes: number; schema: number }> {
  const source = join(dataDir, FILE_NAME)
  if (!existsSync(source)) throw new BackupError(`There is no database in ${dataDir}: see DATA_DIR.`)
  if (existsSync(target)) throw alreadyThere(target)
  const partial = `${target}.${process.pid}.partial`
  try {
    // SQLite writes to an empty file that exists, so the copy is never readable by others.
    await (await open(partial, 'wx', 0o600)).close()
    copy(source, partial)
    const schema = check(partial)
    await flush(partial, 'r+')
    // A link never replaces a file, unlike a rename.
    await link(partial, target)
    // Windows cannot flush a folder.
    if (process.platform !== 'win32') await flush(dirname(target), 'r')
    return { bytes: (await stat(target)).size, schema }
  } catch (error) {
    throw explained(error, target)
  } finally {
    await rm(partial, { force: true })
  }
}

function copy(source: string, target: string): void {
  const database = new DatabaseSync(source, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  try {
    database.prepare('VACUUM INTO ?').run(target)
  } finally {
    database.close()
  }
}

/** Returns the schema of the copy. */
function check(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const [first] = database.prepare('PRAGMA quick_check(1)').all()
    if (first?.quick_check !== 'ok') throw new BackupError('The database is damaged, so no backup was made.')
    const row = database.prepare('SELECT MAX(number) AS schema FROM schema_migrations').get()
    return Number(row?.schema ?? 0)
  } finally {
    database.close()
  }
}

/** Waits until the disk has a file, or the names in a folder. */
async function flush(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function explained(error: unknown, target: string): unknown {
  const { code, errstr } = error as { code?: string; errstr?: string }
  if (error instanceof BackupError) return error
  if (code === 'EEXIST') return alreadyThere(target)
  if (code === 'ENOENT') return new BackupError(`${dirname(target)} does not exist.`)
  if (errstr !== undefined) return new BackupError(`The database cannot be copied: ${errstr}.`)
  return error
}

function alreadyThere(target: string): BackupError {
  return new BackupError(`${target} exists already. A backup never replaces a file.`)
}
