import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from './database.ts'
import { SqliteLink } from './sqlite-link.ts'
import { StoreUnavailable } from './store-unavailable.ts'

export const FILE_NAME = 'gatehouse.db'
const IDLE_REPORTS_MS = 20_000

export async function openSqlite(dataDir: string): Promise<Database> {
  const path = sqlitePath(dataDir)
  await createPrivately(dataDir, path)
  const link = new SqliteLink(path)
  // Its thread starts with the first report, and ends when there are none for a while.
  const reports = new SqliteLink(path, { readOnly: true, idleMs: IDLE_REPORTS_MS })
  await link.run([{ sql: 'SELECT 1' }]).catch(async (error) => {
    await link.close()
    throw error
  })
  return {
    kind: 'sqlite',
    query: async <Row>(sql: string, values?: Parameters<Database['query']>[1]) =>
      (await link.run([{ sql, values }]))[0]!.rows as Row[],
    report: async <Row>(sql: string, values?: Parameters<Database['query']>[1]) =>
      (await reports.run([{ sql, values }]))[0]!.rows as Row[],
    transaction: (statements, options) => link.run(statements, options),
    // The connection that writes is closed last, because only then SQLite can remove its side files.
    close: async () => {
      await reports.close()
      await link.close()
    },
  }
}

export function sqlitePath(dataDir: string): string {
  return join(dataDir, FILE_NAME)
}

/** SQLite gives its side files the mode of the database file. Creating that file first keeps all of them private. */
async function createPrivately(dataDir: string, path: string) {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await (await open(path, 'a', 0o600)).close()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StoreUnavailable(`The data folder cannot be written (${code}): see DATA_DIR.`)
  }
}
