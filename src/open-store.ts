import { mkdir } from 'node:fs/promises'
import type { Config } from './config/config.ts'
import type { Database } from './store/database.ts'
import { openDatabase } from './store/open-database.ts'
import { migrate } from './store/migrations.ts'

/** Opens the database and brings its schema up to date. */
export async function openStore({ dataDir, databaseUrl }: Config): Promise<Database> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const db = await openDatabase({ dataDir, databaseUrl })
  await migrate(db)
  return db
}
