import type { Database, Statement } from '../database.ts'

/** Returns the value that the installation has under this name. If there is none yet, this value is stored and returned. */
export async function ensureSetting(db: Database, name: string, value: string): Promise<string> {
  await db.query('INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [name, value])
  return (await findSetting(db, name))!
}

export async function findSetting(db: Database, name: string): Promise<string | undefined> {
  const [row] = await db.query<{ value: string }>('SELECT value FROM settings WHERE name = $1', [name])
  return row?.value
}

export async function deleteSetting(db: Database, name: string): Promise<void> {
  await db.query('DELETE FROM settings WHERE name = $1', [name])
}

export async function writeSetting(db: Database, name: string, value: string): Promise<void> {
  const sql = 'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2'
  await db.query(sql, [name, value])
}

/** For a transaction: changes a setting if it still has that value. */
export function settingChange(name: string, from: string, to: string): Statement {
  return { sql: 'UPDATE settings SET value = $3 WHERE name = $1 AND value = $2', values: [name, from, to] }
}
