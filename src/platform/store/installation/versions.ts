import { numberedPlaceholders } from '../conditions.ts'
import type { Database, Statement } from '../database.ts'

// Numbers in the table `settings` that grow with every change of something that all processes keep in memory.

/** Things that operators change in the store while the gateway runs. */
export type VersionName = 'credentials-version' | 'catalog-version' | 'mcp-servers-version'

/** The numbers of everything that was ever changed. After a restore from a backup, a number may be smaller than before. */
export async function readVersions(
  db: Database,
  names: readonly (VersionName | 'log-level')[],
): Promise<Map<string, string>> {
  const places = numberedPlaceholders(names)
  const sql = `SELECT name, value FROM settings WHERE name IN (${places})`
  const rows = await db.query<{ name: string; value: string }>(sql, names)
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** For a transaction that changes something. */
export function versionChange(name: VersionName): Statement {
  const sql = `INSERT INTO settings (name, value) VALUES ($1, '1')
    ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(settings.value AS BIGINT) + 1 AS TEXT)`
  return { sql, values: [name] }
}
