import { createHash } from 'node:crypto'
import pg from 'pg'

// The columns of LiteLLM's tables that the import reads, and some that it counts. Rows of other versions have more or fewer.

const TABLES = [
  `CREATE TABLE "LiteLLM_VerificationToken" (token TEXT PRIMARY KEY, key_name TEXT, key_alias TEXT, models TEXT[] DEFAULT '{}',
    team_id TEXT, user_id TEXT, organization_id TEXT, expires TIMESTAMP(3), blocked BOOLEAN, spend DOUBLE PRECISION DEFAULT 0,
    max_budget DOUBLE PRECISION, tpm_limit BIGINT, rpm_limit BIGINT, allowed_routes TEXT[] DEFAULT '{}',
    aliases JSONB DEFAULT '{}', metadata JSONB DEFAULT '{}', created_at TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP)`,
  `CREATE TABLE "LiteLLM_TeamTable" (team_id TEXT PRIMARY KEY, models TEXT[] DEFAULT '{}', blocked BOOLEAN DEFAULT false)`,
  `CREATE TABLE "LiteLLM_UserTable" (user_id TEXT PRIMARY KEY, models TEXT[] DEFAULT '{}')`,
  `CREATE TABLE "LiteLLM_BudgetTable" (budget_id TEXT PRIMARY KEY)`,
  `CREATE TABLE "LiteLLM_ProxyModelTable" (model_id TEXT PRIMARY KEY, litellm_params JSONB)`,
]

export type Row = Record<string, unknown>

/** Makes an empty database one of LiteLLM. The row of a key gets the digest that LiteLLM stores. */
export async function createSource(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const table of TABLES) await client.query(table)
  return { url, insert, addKey, query: (sql: string) => client.query(sql), close: () => client.end() }

  async function insert(table: string, row: Row): Promise<void> {
    const names = Object.keys(row)
    const places = names.map((_, index) => `$${index + 1}`)
    await client.query(`INSERT INTO "${table}" (${names}) VALUES (${places})`, Object.values(row))
  }

  async function addKey(key: string, row: Row = {}): Promise<void> {
    const token = createHash('sha256').update(key).digest('hex')
    await insert('LiteLLM_VerificationToken', { token, key_name: `sk-...${key.slice(-4)}`, ...row })
  }
}
