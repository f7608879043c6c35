import type { Database, DatabaseOptions } from './database.ts'
import { openSqlite } from './sqlite.ts'

/** Does not migrate, and does not wait for a PostgreSQL server: an absent one shows at the first query. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (!options.databaseUrl) return openSqlite(options.dataDir)
  // Its client is loaded by who has a server.
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres(options.databaseUrl, options.connectionWaitMs)
}
