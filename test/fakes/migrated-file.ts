import { constants, rmSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '../../src/platform/store/migrations.ts'
import { openSqlite, sqlitePath } from '../../src/platform/store/sqlite.ts'
import { memoryFolder } from './memory-folder.ts'

/** A database with the newest schema. It goes with this process. */
let made: Promise<string> | undefined

/**
 * Puts a database with the newest schema into a folder, unless the folder has one. All migrations together take as long as
 * many a test, so they run once for each process, and their result is copied.
 */
export async function seedMigratedFile(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  made ??= makeFile()
  await copyFile(await made, sqlitePath(dataDir), constants.COPYFILE_EXCL).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

async function makeFile(): Promise<string> {
  const folder = await mkdtemp(join(memoryFolder(), 'gatehouse-schema-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const db = await openSqlite(folder)
  await migrate(db)
  await db.close()
  return sqlitePath(folder)
}
