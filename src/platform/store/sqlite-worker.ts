import { hash } from 'node:crypto'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { Result, Value } from './database.ts'
import { type PackedValues, unpackValues } from './packed-values.ts'
import { SqliteClock } from './clock/sqlite-clock.ts'

/** `texts` are new to the worker; `forgotten` numbers are not used after this batch. */
export type Batch = { texts: [number, string][]; forgotten: number[]; calls: Call[]; values: PackedValues }
export type Call = {
  id: number
  steps: [statement: number, valueCount: number, required: boolean][]
  unhurried: boolean
}
/** `done`: how many statements of an unhurried call are done so far. */
export type Reply =
  | { id: number; results: Result<unknown>[] }
  | { id: number; failure: WorkerError }
  | { id: number; done: number }
export type WorkerData = { path: string; readOnly: boolean }
export type WorkerError = { message: string; about: 'call' | 'store' | 'file' }

type Prepared = { statement: StatementSync; order: number[] | undefined; returnsRows: boolean }
type Text = { sql: string; reads: boolean; prepared?: Prepared }
type Step = { text: Text; values: Value[]; required: boolean }
type Work = { id: number; steps: Step[]; unhurried: boolean; reads: boolean }

const BUSY_TIMEOUT_MS = 5_000
const UNHURRIED_TIMEOUT_MS = 600_000
const CALLS_PER_COMMIT = 1_000
const WAL_FILE_LIMIT_BYTES = 67_108_864
const CACHE_KIBIBYTES = 16_384

// BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL: the store failed, not the call.
const UNAVAILABLE_CODES = new Set([5, 6, 7, 8, 10, 13, 14, 15])
// CORRUPT, NOTADB
const DAMAGED_CODES = new Set([11, 26])

const port = parentPort!
const { path, readOnly } = workerData as WorkerData
const texts = new Map<number, Text>()
let connection: DatabaseSync | undefined
let clock: SqliteClock | undefined

port.on('message', (first: Batch | 'close') => {
  if (first === 'close') return close()
  const works = drain(first)
  // Reads go first and see only committed data: they need no lock and do not wait for the disk.
  reply(works.filter((work) => work.reads).map(read))
  reply(write(works.filter((work) => !work.reads)))
})

/** Includes what has queued up in the meantime, so that one commit serves all of it. */
function drain(first: Batch): Work[] {
  const works = decode(first)
  while (works.length < CALLS_PER_COMMIT) {
    const next = receiveMessageOnPort(port)
    if (!next) break
    works.push(...decode(next.message))
  }
  return works
}

function decode(batch: Batch): Work[] {
  for (const [number, sql] of batch.texts) texts.set(number, { sql, reads: /^\s*select\b/i.test(sql) })
  const take = unpackValues(batch.values)
  const works = batch.calls.map(({ id, steps, unhurried }) => {
    const bound = steps.map(([number, count, required]) => ({
      text: texts.get(number)!,
      values: take(count),
      required,
    }))
    return { id, steps: bound, unhurried, reads: bound.every((step) => step.text.reads) }
  })
  for (const number of batch.forgotten) texts.delete(number)
  return works
}

function read(work: Work): Reply {
  try {
    // Several reads of one call must see the same state.
    const results = work.steps.length < 2 ? run(work) : within('BEGIN', () => run(work))
    return { id: work.id, results }
  } catch (error) {
    return { id: work.id, failure: toWorkerError(error) }
  }
}

/**
 * Runs all calls in one transaction, each in a savepoint of its own: a failing call undoes only itself, and no call is
 * answered before the commit.
 */
function write(works: Work[]): Reply[] {
  if (works.length === 0) return []
  try {
    if (works.some((work) => work.unhurried)) connected().exec(`PRAGMA busy_timeout = ${UNHURRIED_TIMEOUT_MS}`)
    return within('BEGIN IMMEDIATE', () => {
      clock?.agree()
      return works.map(runInSavepoint)
    })
  } catch (error) {
    return works.map(({ id }) => ({ id, failure: toWorkerError(error) }))
  } finally {
    if (works.some((work) => work.unhurried)) connection?.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}

function runInSavepoint(work: Work): Reply {
  const database = connected()
  database.exec('SAVEPOINT call')
  try {
    const results = run(work)
    database.exec(isUndone(work, results) ? 'ROLLBACK TO call; RELEASE call' : 'RELEASE call')
    return { id: work.id, results }
  } catch (error) {
    // A full or failing disk ends the whole transaction, so no call of this group may be reported as done.
    if (!database.isTransaction) throw error
    database.exec('ROLLBACK TO call; RELEASE call')
    return { id: work.id, failure: toWorkerError(error) }
  }
}

/** Ends with the first required step that changes nothing. */
function run({ id, steps, unhurried }: Work): Result<unknown>[] {
  const results: Result<unknown>[] = []
  for (const { text, values, required } of steps) {
    if (unhurried) reply([{ id, done: results.length }])
    const result = step(text, values)
    results.push(result)
    if (required && result.changes === 0) break
  }
  return results
}

function isUndone({ steps }: Work, results: readonly Result<unknown>[]): boolean {
  return steps[results.length - 1]?.required === true && results.at(-1)!.changes === 0
}

/** `run` would end a pragma that works page by page after its first page. */
function step(text: Text, values: Value[]): Result<unknown> {
  if (!text.sql.startsWith('PRAGMA')) return execute(prepare(text), values)
  connected().exec(text.sql)
  return { rows: [], changes: 0 }
}

function execute({ statement, order, returnsRows }: Prepared, values: Value[]): Result<unknown> {
  const bound = order ? order.map((index) => values[index]!) : values
  if (!returnsRows) return { rows: [], changes: Number(statement.run(...bound).changes) }
  const rows = statement.all(...bound)
  return { rows, changes: rows.length }
}

/**
 * Binding 10,000 values by name searches the names for each value. So `$n` becomes `?`, and the order is kept beside it
 * where it matters.
 */
function prepare(text: Text): Prepared {
  if (text.prepared) return text.prepared
  const order: number[] = []
  const sql = text.sql.replace(/\$(\d+)/g, (_, number) => {
    order.push(Number(number) - 1)
    return '?'
  })
  const statement = connected().prepare(sql)
  const inOrder = order.every((index, position) => index === position)
  text.prepared = { statement, order: inOrder ? undefined : order, returnsRows: statement.columns().length > 0 }
  return text.prepared
}

function within<T>(begin: string, work: () => T): T {
  const database = connected()
  database.exec(begin)
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** Opened at the first call, and again at the next call if that failed, so that a repaired disk needs no restart. */
function connected(): DatabaseSync {
  if (connection) return connection
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true, readOnly })
  try {
    if (!readOnly) {
      // For an existing file it changes nothing, but would wait for the write lock, which a migration holds for minutes.
      if (isEmpty(database)) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      PRAGMA journal_size_limit = ${WAL_FILE_LIMIT_BYTES}`)
    }
    database.exec(`PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${CACHE_KIBIBYTES}`)
    const steady = new SqliteClock(database)
    database.function('now_ms', () => Date.now())
    database.function('sha256_hex', { deterministic: true }, (text) => hash('sha256', String(text)))
    database.function('steady_ms', () => steady.steadyMs())
    clock = steady
  } catch (error) {
    database.close()
    throw error
  }
  connection = database
  return database
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA page_count').get()!.page_count === 0
}

function reply(replies: Reply[]) {
  if (replies.length > 0) port.postMessage(replies)
}

function close() {
  connection?.close()
  port.close()
}

function toWorkerError(error: unknown): WorkerError {
  const { errcode, errstr, message } = error as { errcode?: number; errstr?: string; message: string }
  const code = (errcode ?? 0) & 0xff
  if (DAMAGED_CODES.has(code)) return { message: damaged(errstr), about: 'file' }
  if (!UNAVAILABLE_CODES.has(code)) return { message, about: 'call' }
  return { message: `The embedded database cannot do this now: ${errstr}.`, about: 'store' }
}

function damaged(words: string | undefined): string {
  const advice =
    'restore it from a backup, or move it away with its -wal and -shm files to start with an empty database'
  return `The database ${path} is damaged (${words}): ${advice}.`
}
