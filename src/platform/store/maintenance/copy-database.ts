import { DatabaseSync } from 'node:sqlite'

const BUSY_TIMEOUT_MS = 60_000

/** Writes a copy without free space to a file. SQLite reads all of it in one transaction. */
export function copyDatabase(source: string, target: string): void {
  withDatabase(new DatabaseSync(source, { readOnly: true, timeout: BUSY_TIMEOUT_MS }), (database) => {
    database.prepare('VACUUM INTO ?').run(target)
  })
}

/** How many bytes a copy will have. */
export function copiedBytes(source: string): number {
  const sql =
    'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size'
  return withDatabase(new DatabaseSync(source, { readOnly: true, timeout: BUSY_TIMEOUT_MS }), (database) =>
    Number(database.prepare(sql).get()!.bytes),
  )
}

/** Returns the schema of a copy, or undefined if the copy is damaged. */
export function checkCopy(path: string): number | undefined {
  return withDatabase(new DatabaseSync(path, { readOnly: true }), (database) => {
    const [first] = database.prepare('PRAGMA quick_check(1)').all()
    if (first?.quick_check !== 'ok') return undefined
    return Number(database.prepare('SELECT MAX(number) AS schema FROM schema_migrations').get()?.schema ?? 0)
  })
}

function withDatabase<T>(database: DatabaseSync, work: (database: DatabaseSync) => T): T {
  try {
    return work(database)
  } finally {
    database.close()
  }
}
