import type { Database, DatabaseOptions } from './database.ts'
import { openSqlite } from './sqlite.ts'

/** Does not migrate, and does not wait for a PostgreSQL server: if it is absent, the first query fails. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (!options.databaseUrl) return openSqlite(options.dataDir)
  // The PostgreSQL client is loaded only if it is needed.
  const { openPostgres } = await import('./postgres/postgres.ts')
  return openPostgres({ ...options, databaseUrl: options.databaseUrl })
}
