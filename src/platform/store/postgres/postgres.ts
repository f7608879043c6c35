import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Database, Result, Statement, TransactionOptions, Value } from '../database.ts'
import { isConflict, leavesConnectionUsable, toStoreError } from './errors.ts'
import { groupCommit } from './group-commit.ts'
import { openPool, type Pool, type PoolOptions } from './pool.ts'
import { DAY_MS } from '../../../base/units/units.ts'

const UNHURRIED_TIMEOUT_MS = DAY_MS
const CONFLICT_RETRIES = 3
const CONFLICT_BACKOFF_MS = 20
const NAMED_STATEMENTS_LIMIT = 128
const UNNAMED_LIMIT = 10_000

type Rows = Result<Record<string, unknown>>

export function openPostgres(options: PoolOptions): Database {
  const pool = openPool(options)
  const namesOf = pool.isShared ? () => ({}) : statementNames()
  const transaction = (statements: readonly Statement[], options: TransactionOptions = {}) =>
    retryConflicts(() =>
      onConnection(pool, (client) => runOn({ client, namesOf, answered: 0, ...options }, statements)),
    )
  const groups = groupCommit(transaction)
  const query = async <Row>(sql: string, values: readonly Value[] = []) =>
    (await transaction([{ sql, values }]))[0]!.rows as Row[]
  return {
    kind: 'postgres',
    query,
    report: query,
    transaction: (statements, options = {}) =>
      options.together ? groups.run(statements) : transaction(statements, options),
    close: pool.close,
    get waiting() {
      return pool.waiting + groups.waiting
    },
  }
}

type Connection = TransactionOptions & { client: pg.PoolClient; namesOf: StatementNames; answered: number }

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

async function onConnection<T>(pool: Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
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

/**
 * A single statement is a transaction by itself. Of several, all are sent before the first is answered; only what follows a
 * required one waits for its answer, and the end waits for all answers.
 */
async function runOn(connection: Connection, statements: readonly Statement[]): Promise<Rows[]> {
  const { client, unhurried } = connection
  if (statements.length === 0) return []
  if (statements.length === 1 && !unhurried) return [await execute(connection, statements[0]!)]
  const begin = [client.query('BEGIN'), ...(unhurried ? [client.query('SET LOCAL statement_timeout = 0')] : [])]
  try {
    const results: Rows[] = []
    for (const run of untilRequired(statements)) {
      const answers = Promise.all(run.map((statement) => execute(connection, statement)))
      // The server answers in their order, so the first error is the one that ended the transaction.
      const [, some] = await Promise.all([Promise.all(begin), answers])
      results.push(...some)
      if (!run.at(-1)!.required || results.at(-1)!.changes > 0) continue
      await client.query('ROLLBACK')
      return results
    }
    await client.query('COMMIT')
    return results
  } catch (error) {
    if (leavesConnectionUsable(error)) await client.query('ROLLBACK')
    throw error
  }
}

/** The statements in parts, each of which ends with a required one or with the last one. */
function untilRequired(statements: readonly Statement[]): Statement[][] {
  const parts: Statement[][] = [[]]
  for (const statement of statements) {
    if (parts.at(-1)!.at(-1)?.required) parts.push([])
    parts.at(-1)!.push(statement)
  }
  return parts
}

async function execute(connection: Connection, { sql, values = [] }: Statement): Promise<Rows> {
  const { client, namesOf, unhurried, progress } = connection
  const limit = unhurried ? { query_timeout: UNHURRIED_TIMEOUT_MS } : {}
  const { rows, rowCount } = await client.query({ text: sql, values: values.map(storable), ...namesOf(sql), ...limit })
  progress?.(++connection.answered)
  return { rows, changes: rowCount ?? 0 }
}

type StatementNames = (sql: string) => { name?: string }

/**
 * PostgreSQL parses and plans a named statement once per connection, which is most of the work of a small one. A text gets a name
 * when it comes again soon. Those of migrations and one-off statements never do, so they must not take a place. When many had to
 * go without a name, all places are given anew, to the texts that come now.
 */
function statementNames(): StatementNames {
  const names = new Map<string, { name: string }>()
  const seenOnce = new Set<string>()
  let unnamed = 0
  return (sql) => {
    const cached = names.get(sql)
    if (cached) return cached
    if (names.size >= NAMED_STATEMENTS_LIMIT) {
      if (++unnamed < UNNAMED_LIMIT) return {}
      names.clear()
      unnamed = 0
    }
    if (!seenOnce.delete(sql)) {
      if (seenOnce.size >= NAMED_STATEMENTS_LIMIT) seenOnce.delete(seenOnce.values().next().value!)
      seenOnce.add(sql)
      return {}
    }
    const named = { name: createHash('sha256').update(sql).digest('hex').slice(0, 32) }
    names.set(sql, named)
    return named
  }
}

/** PostgreSQL refuses a NUL inside text, so a caller's name with a NUL would block a whole batch of ledger lines forever. */
function storable(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}
