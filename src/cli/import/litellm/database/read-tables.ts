import pg from 'pg'
import { isRecord, type Fields } from '../../../../base/schema/record.ts'

// LiteLLM's own tables in PostgreSQL, which are only read. Its versions have different columns: a row is read as JSON, with
// all columns that it has.

const CONNECT_MS = 10_000
const STATEMENT_MS = 60_000
const PAGE_ROWS = 1_000

class SourceDatabaseError extends Error {
  override name = 'SourceDatabaseError'
}

export type SourceDatabase = {
  /** The rows of a table in pages, by the columns that identify a row. A table that does not exist has none. */
  rows(table: string, by: readonly string[]): AsyncGenerator<Fields>
  count(table: string): Promise<number>
  close(): Promise<void>
}

/** Everything is read in one snapshot, and nothing can be written. Errors name neither the address nor its password. */
export async function openSource(url: string): Promise<SourceDatabase> {
  const client = new pg.Client({
    connectionString: addressOf(url),
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    application_name: 'gatehouse import',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
  } catch (error) {
    await client.end().catch(() => {})
    throw unreachable(error)
  }
  return { rows: (table, by) => readRows(client, table, by), count: (table) => countRows(client, table), close }

  async function close() {
    await client.end()
  }
}

/** Members of the address that only Prisma knows would be refused by the server. */
function addressOf(url: string): string {
  const address = URL.parse(url)
  if (!address || !/^postgres(?:ql)?:$/.test(address.protocol))
    throw new SourceDatabaseError('--database should be an address such as postgres://user:password@host:5432/litellm.')
  for (const name of ['schema', 'connection_limit', 'pool_timeout', 'pgbouncer', 'connect_timeout', 'socket_timeout'])
    address.searchParams.delete(name)
  return address.href
}

function unreachable(error: unknown): SourceDatabaseError {
  const { code } = error as { code?: string }
  return new SourceDatabaseError(
    `LiteLLM's database cannot be read (${code ?? 'no answer'}). Check the address, the name and the password.`,
  )
}

async function* readRows(client: pg.Client, table: string, by: readonly string[]): AsyncGenerator<Fields> {
  if (!(await exists(client, table))) return
  const sql = pageQuery(client, table, by)
  for (let last = by.map(() => ''); ; ) {
    const { rows } = await client
      .query<{ row: unknown }>(sql, last)
      .catch((error) => Promise.reject(unreachable(error)))
    for (const { row } of rows) if (isRecord(row)) yield row
    if (rows.length < PAGE_ROWS) return
    last = by.map((column) => String((rows.at(-1)!.row as Fields)[column]))
  }
}

function pageQuery(client: pg.Client, table: string, by: readonly string[]): string {
  const columns = by.map((column) => client.escapeIdentifier(column)).join(', ')
  const places = by.map((_, index) => `$${index + 1}`).join(', ')
  return `SELECT to_jsonb(source) AS row FROM ${client.escapeIdentifier(table)} AS source
    WHERE (${columns}) > (${places}) ORDER BY ${columns} LIMIT ${PAGE_ROWS}`
}

async function countRows(client: pg.Client, table: string): Promise<number> {
  if (!(await exists(client, table))) return 0
  const sql = `SELECT CAST(count(*) AS INTEGER) AS number FROM ${client.escapeIdentifier(table)}`
  const { rows } = await client.query<{ number: number }>(sql)
  return rows[0]!.number
}

async function exists(client: pg.Client, table: string): Promise<boolean> {
  const sql = 'SELECT to_regclass($1) IS NOT NULL AS found'
  const { rows } = await client.query<{ found: boolean }>(sql, [client.escapeIdentifier(table)])
  return rows[0]!.found
}
