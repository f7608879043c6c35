import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Database, Result, Statement, TransactionOptions, Value } from './database.ts'
import { isConflict, leavesConnectionUsable, toStoreError } from './postgres-errors.ts'

const CONNECTIONS = 10
const DEFAULT_CONNECTION_WAIT_MS = 1_000
const STATEMENT_TIMEOUT_MS = 10_000
// Longer than the server's own limit: this one applies only if the server or the network is silently gone.
const ANSWER_TIMEOUT_MS = 12_000
const UNHURRIED_TIMEOUT_MS = 86_400_000
const KEEP_ALIVE_DELAY_MS = 10_000
const CONFLICT_RETRIES = 3
const CONFLICT_BACKOFF_MS = 20
const NAMED_STATEMENTS_LIMIT = 128

type Rows = Result<Record<string, unknown>>

const BYTEA = 17
const INT8 = 20
const NUMERIC = 1700
const PARSERS: Record<number, (text: string) => unknown> = {
  [INT8]: Number,
  [NUMERIC]: Number,
  [BYTEA]: (text) => Uint8Array.from(Buffer.from(text.slice('\\x'.length), 'hex')),
}

export function openPostgres(databaseUrl: string, connectionWaitMs = DEFAULT_CONNECTION_WAIT_MS): Database {
  const pool = createPool(databaseUrl, connectionWaitMs)
  const namesOf = statementNames()
  let closed: Promise<void> | undefined
  const transaction = (statements: readonly Statement[], options: TransactionOptions = {}) =>
    retryConflicts(() => onConnection(pool, (client) => runOn({ client, namesOf, ...options }, statements)))
  const query = async <Row>(sql: string, values: readonly Value[] = []) =>
    (await transaction([{ sql, values }]))[0]!.rows as Row[]
  return {
    kind: 'postgres',
    query,
    report: query,
    transaction,
    close: () => {
      closed ??= pool.end()
      return closed
    },
  }
}

type Connection = TransactionOptions & { client: pg.PoolClient; namesOf: StatementNames }

async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error) || retries === CONFLICT_RETRIES) throw toStoreError(error)
      await sleep(Math.random() * CONFLICT_BACKOFF_MS * 2 ** retries)
    }
  }
}

async function onConnection<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let usable = true
  try {
    return await work(client)
  } catch (error) {
    usable = leavesConnectionUsable(error)
    throw error
  } finally {
    client.release(!usable)
  }
}

/** A single statement is a transaction by itself, which saves two round trips. */
async function runOn(connection: Connection, statements: readonly Statement[]): Promise<Rows[]> {
  const { client, unhurried } = connection
  if (statements.length === 1 && !unhurried) return [await execute(connection, statements[0]!)]
  await client.query('BEGIN')
  try {
    if (unhurried) await client.query('SET LOCAL statement_timeout = 0')
    const results: Rows[] = []
    for (const statement of statements) results.push(await execute(connection, statement))
    await client.query('COMMIT')
    return results
  } catch (error) {
    if (leavesConnectionUsable(error)) await client.query('ROLLBACK')
    throw error
  }
}

async function execute({ client, namesOf, unhurried }: Connection, { sql, values = [] }: Statement): Promise<Rows> {
  const limit = unhurried ? { query_timeout: UNHURRIED_TIMEOUT_MS } : {}
  const { rows, rowCount } = await client.query({ text: sql, values: values.map(storable), ...namesOf(sql), ...limit })
  return { rows, changes: rowCount ?? 0 }
}

function createPool(databaseUrl: string, connectionWaitMs: number): pg.Pool {
  if (!/^postgres(ql)?:/.test(databaseUrl) || !URL.canParse(databaseUrl))
    throw new Error('DATABASE_URL has to look like postgres://user:password@host:port/database.')
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: 'gatehouse',
    max: CONNECTIONS,
    connectionTimeoutMillis: connectionWaitMs,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    allowExitOnIdle: true,
    types: { getTypeParser: (oid, format) => PARSERS[oid] ?? pg.types.getTypeParser(oid, format) },
  })
  // A connection that dies while idle, or between two statements, must not end the process. The next query reports it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

type StatementNames = (sql: string) => { name?: string }

/** PostgreSQL parses a named statement once per connection. Poolers may mix our processes, so the name is a hash of the text. */
function statementNames(): StatementNames {
  const names = new Map<string, { name?: string }>()
  return (sql) => {
    const known = names.get(sql)
    if (known?.name) return known
    if (!known && names.size >= NAMED_STATEMENTS_LIMIT) return {}
    // The first use stays unnamed, because migrations and one-off statements never come again.
    names.set(sql, known ? { name: createHash('sha256').update(sql).digest('hex').slice(0, 32) } : {})
    return names.get(sql)!
  }
}

/** PostgreSQL refuses a NUL inside text, so a caller's name with a NUL would block a whole batch of ledger lines forever. */
function storable(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}
