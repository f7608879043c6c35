import { existsSync } from 'node:fs'
import { link, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { copiedBytes } from '../maintenance/copy-database.ts'
import { runApart } from '../maintenance/run-apart.ts'
import { FILE_NAME } from '../sqlite.ts'

/** The backup was not made. The message is for the operator. */
class BackupError extends Error {
  override readonly name = 'BackupError'
}

const LOOK_MS = 200

/** Called while the copy is written. */
type Copied = (bytes: number, total: number) => void

/**
 * Copies the embedded database to a new file while gateways use it. The copy is one moment of the database: SQLite reads all of
 * it in one transaction, and writers go on meanwhile. The file gets its name when it is complete and has been checked.
 */
export async function backUpSqlite(
  dataDir: string,
  target: string,
  copied: Copied = ignore,
): Promise<{ bytes: number; schema: number }> {
  const source = join(dataDir, FILE_NAME)
  if (!existsSync(source)) throw new BackupError(`There is no database in ${dataDir}: see DATA_DIR.`)
  if (existsSync(target)) throw alreadyThere(target)
  const partial = `${target}.${process.pid}.partial`
  try {
    // SQLite writes to an empty file that exists, so the copy is never readable by others.
    await (await open(partial, 'wx', 0o600)).close()
    await copyWatched(source, partial, copied)
    const schema = await checked(partial)
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

/** Tells how many bytes are written while the copy grows. */
async function copyWatched(source: string, partial: string, copied: Copied): Promise<void> {
  const total = copiedBytes(source)
  copied(0, total)
  const look = () => void stat(partial).then(({ size }) => copied(size, total), ignore)
  const timer = setInterval(look, LOOK_MS)
  try {
    await runApart('copyDatabase', source, partial)
  } finally {
    clearInterval(timer)
  }
}

function ignore(): void {}

async function checked(partial: string): Promise<number> {
  const schema = await runApart('checkCopy', partial)
  if (schema === undefined) throw new BackupError('The database is damaged, so no backup was made.')
  return schema
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
