const DEFAULT_CONNECTION_WAIT_MS = 5_000
/** A timer that is set for longer ends at once. */
const MAX_WAIT_MS = 2 ** 31 - 1

type Address = {
  /** What the driver gets. */
  address: string
  /** A pooler in front of the server shares its connections between all its clients. */
  isShared: boolean
  /** How long a query waits for a connection. */
  connectionWaitMs: number
}

/** The driver knows neither parameter: `pgbouncer` is ours, and `connect_timeout` is that of PostgreSQL's own clients. */
export function readAddress(databaseUrl: string, waitMs?: number): Address {
  const url = /^postgres(ql)?:/.test(databaseUrl) ? URL.parse(databaseUrl) : null
  if (!url) throw new Error('DATABASE_URL has to look like postgres://user:password@host:port/database.')
  const seconds = Number(url.searchParams.get('connect_timeout'))
  const connectionWaitMs = waitMs ?? (seconds > 0 ? Math.min(seconds * 1_000, MAX_WAIT_MS) : DEFAULT_CONNECTION_WAIT_MS)
  const pgbouncer = url.searchParams.get('pgbouncer')
  if (pgbouncer === null) return { address: databaseUrl, isShared: false, connectionWaitMs }
  url.searchParams.delete('pgbouncer')
  return { address: url.href, isShared: pgbouncer === 'true', connectionWaitMs }
}
