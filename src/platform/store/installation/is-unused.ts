import type { Database } from '../database.ts'

const TABLES = ['keys', 'users', 'usage', 'jobs', 'files', 'aliases', 'limits']

/** Whether this store has no keys, users, calls or settings yet. */
export async function isUnused(db: Database): Promise<boolean> {
  const found = TABLES.map((table) => `EXISTS (SELECT 1 FROM ${table})`).join(' OR ')
  return (await db.query(`SELECT 1 AS used WHERE ${found}`)).length === 0
}
