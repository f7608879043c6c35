export { StoreDamaged, StoreUnavailable } from './store-unavailable.ts'

export type Value = string | number | null | Uint8Array

/**
 * One SQL text serves both databases: `$1` placeholders (so no literal may hold a `$` before a digit), ON CONFLICT,
 * RETURNING, the types TEXT, BIGINT, DOUBLE PRECISION and BYTEA, booleans as 0 and 1, times in epoch milliseconds, and the
 * store's own clocks: `now_ms()` for moments that are shown, `steady_ms()` for leases and waits, which must not jump. A
 * text that only reads starts with SELECT; any other text takes SQLite's write lock. Integers up to 2^53 are read as
 * numbers; what may be larger, such as a sum, is read with CAST(… AS TEXT).
 */
export type Statement = {
  sql: string
  values?: readonly Value[] | undefined
  /** If it writes and returns no row, its transaction ends here: nothing of it is kept, and the results so far are returned. */
  required?: boolean | undefined
}

/** `changes` counts the rows that were written, or that were read if the statement returns rows. */
export type Result<Row> = { rows: Row[]; changes: number }

export type TransactionOptions = {
  /** Migrations are: they may wait for their lock and run for as long as they need. */
  unhurried?: boolean | undefined
  /** Of an unhurried one: called with how many of its statements are done. On SQLite also with 0, when it has the lock. */
  progress?: ((statements: number) => void) | undefined
  /**
   * It may share a commit with others, one after the other. None of its statements may be required, nor lock a row that other
   * calls lock too, such as a limit: a group would hold several such rows, and two groups would wait for each other.
   */
  together?: boolean | undefined
}

export type Database = {
  readonly kind: 'sqlite' | 'postgres'
  query<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>
  /**
   * Runs a SELECT that may take long. On SQLite it has a connection and a thread of its own, so other queries do not wait for
   * it.
   */
  report<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>
  transaction(
    statements: readonly Statement[],
    options?: TransactionOptions,
  ): Promise<Result<Record<string, unknown>>[]>
  close(): Promise<void>
  /** How many of these wait for a connection, where there are several. */
  readonly waiting?: number
}

export type DatabaseOptions = {
  databaseUrl?: string | undefined
  dataDir: string
  /** How many connections to PostgreSQL this process may have. */
  connections?: number | undefined
  /** How long a query waits for one of them. */
  connectionWaitMs?: number
}
