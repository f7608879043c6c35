import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { readAddress } from './address.ts'
import { hasNoFreeConnection } from './errors.ts'

// The connections of one process. With `?pgbouncer=true` in the address they go through a pooler in transaction mode, where
// every transaction may run on another connection of the server. Then nothing may outlive a transaction, and no parameter
// may be set when a connection is opened.

/** Twenty processes with this many connections leave some of PostgreSQL's usual hundred to others. */
const DEFAULT_CONNECTIONS = 4
const CROWDED_PAUSE_MS = 100
const STATEMENT_TIMEOUT_MS = 10_000
// Longer than the server's own limit: this one applies only if the server or the network is silently gone.
const ANSWER_TIMEOUT_MS = 12_000
const KEEP_ALIVE_DELAY_MS = 10_000
/** A connection keeps every statement that had a name, so it does not live forever. */
const USES_OF_CONNECTION = 100_000

const BYTEA = 17
const INT8 = 20
const NUMERIC = 1700
const PARSERS: Record<number, (text: string) => unknown> = {
  [INT8]: Number,
  [NUMERIC]: Number,
  [BYTEA]: (text) => Uint8Array.from(Buffer.from(text.slice('\\x'.length), 'hex')),
}

export type PoolOptions = {
  databaseUrl: string
  /** The maximum number of connections. */
  connections?: number | undefined
  /** How long a query waits for one of them. */
  connectionWaitMs?: number | undefined
}

export type Pool = {
  isShared: boolean
  connect(): Promise<pg.PoolClient>
  /** How many wait for a connection. */
  readonly waiting: number
  close(): Promise<void>
}

export function openPool(options: PoolOptions): Pool {
  const { address, isShared, connectionWaitMs } = readAddress(options.databaseUrl, options.connectionWaitMs)
  const pool = new pg.Pool({
    connectionString: address,
    max: options.connections ?? DEFAULT_CONNECTIONS,
    connectionTimeoutMillis: connectionWaitMs,
    query_timeout: ANSWER_TIMEOUT_MS,
    // Statements of a transaction are sent together, and not each after the answer to the one before.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    allowExitOnIdle: true,
    maxUses: USES_OF_CONNECTION,
    types: { getTypeParser: (oid, format) => PARSERS[oid] ?? pg.types.getTypeParser(oid, format) },
    ...(isShared ? {} : STARTUP_PARAMETERS),
  })
  // A connection that dies while idle, or between two statements, must not end the process. The next query reports it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  let closed: Promise<void> | undefined
  return {
    isShared,
    get waiting() {
      return pool.waitingCount
    },
    connect: () => connectWithin(connectionWaitMs, pool),
    close: () => {
      closed ??= pool.end()
      return closed
    },
  }
}

const STARTUP_PARAMETERS = {
  application_name: 'gatehouse',
  // Compiling the plan of a report takes longer than running it.
  options: '-c jit=off',
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
}

/** A server whose connections are all taken refuses at once. Others give theirs back soon, so it is asked again. */
async function connectWithin(ms: number, pool: pg.Pool): Promise<pg.PoolClient> {
  const deadline = performance.now() + ms
  for (;;) {
    try {
      return await pool.connect()
    } catch (error) {
      if (!hasNoFreeConnection(error) || performance.now() + CROWDED_PAUSE_MS > deadline) throw error
      await sleep(CROWDED_PAUSE_MS)
    }
  }
}
