import type { Database } from './database.ts'

/** Returns the value that the installation has under this name. If there is none yet, this value is stored and returned. */
export async function ensureSetting(db: Database, name: string, value: string): Promise<string> {
  await db.query('INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [name, value])
  const [row] = await db.query<{ value: string }>('SELECT value FROM settings WHERE name = $1', [name])
  return row!.value
}
