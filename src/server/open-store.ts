import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../platform/config/config.ts'
import { type Database, StoreDamaged, StoreUnavailable } from '../platform/store/database.ts'
import { openDatabase } from '../platform/store/open-database.ts'
import { meteredDatabase } from '../platform/store/metered-database.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import { type MigrateOptions, migrate } from '../platform/store/migrations.ts'

const RETRY_MS = 2_000

/** Opens the database and brings its schema up to date. */
export async function openStore(
  { dataDir, databaseUrl, databasePool }: Config,
  options?: MigrateOptions,
): Promise<Database> {
  await createDataDir(dataDir)
  const db = await openDatabase({ dataDir, databaseUrl, connections: databasePool })
  try {
    await migrate(db, options)
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}

/** One folder after the other: Node's `recursive` never returns where no folder can be made, such as in /proc. */
export async function createDataDir(dataDir: string): Promise<void> {
  if (await isFolder(dataDir)) return
  if (dirname(dataDir) !== dataDir) await createDataDir(dirname(dataDir))
  try {
    await mkdir(dataDir, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!(await isFolder(dataDir))) throw error
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}

/** A database that may not be reachable yet. Until `open` has succeeded, it refuses every query as unavailable. */
export type LateStore = { db: ReturnType<typeof meteredDatabase>; open(): Promise<void> }

export function lateStore(
  config: Config,
  { storeDurations, storeErrors }: Metrics,
  { migrated, ...options }: MigrateOptions & { migrated(): void },
): LateStore {
  let opened: Database | undefined
  const late: Database = {
    kind: config.databaseUrl ? 'postgres' : 'sqlite',
    query: async (sql, values) => present().query(sql, values),
    report: async (sql, values) => present().report(sql, values),
    transaction: async (statements, options) => present().transaction(statements, options),
    close: async () => opened?.close(),
    get waiting() {
      return opened?.waiting ?? 0
    },
  }
  return {
    db: meteredDatabase(late, {
      answered: (operation, seconds) => storeDurations.observe([operation], seconds),
      failed: (reason) => storeErrors.add([reason]),
    }),
    open: async () => {
      opened ??= await openStore(config, options).finally(migrated)
    },
  }

  function present(): Database {
    if (opened) return opened
    throw new StoreUnavailable('The database was not reachable since the start of this process.')
  }
}

type OpenOptions = { log: Pick<Logger, 'warn'>; retryMs?: number | undefined }

/** Calls `open` until the store is reachable: in a cluster everything starts at once, in any order. */
export function openWhenReachable(open: () => Promise<void>, { log, retryMs = RETRY_MS }: OpenOptions) {
  const stopping = new AbortController()
  const firstTry = attempt(open, log)
  const ended = firstTry.then((isOpen) => isOpen || retry())
  const done = new Promise<void>((resolve, reject) => {
    // A store that is no longer waited for is neither open nor a failure.
    ended.then((isOpen) => isOpen && resolve(), reject)
  })
  // `firstTry` reports the first failure, and the callers that await `done` get the others.
  done.catch(() => {})
  return { firstTry, done, stop }

  async function retry(): Promise<boolean> {
    while (!stopping.signal.aborted) {
      await sleep(retryMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (!stopping.signal.aborted && (await attempt(open))) return true
    }
    return false
  }

  async function stop(): Promise<void> {
    stopping.abort()
    await ended.catch(() => undefined)
  }
}

/** Returns false if the store is away. Every other failure is final. */
async function attempt(open: () => Promise<void>, log?: OpenOptions['log']): Promise<boolean> {
  try {
    await open()
    return true
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || error instanceof StoreDamaged) throw error
    log?.warn({ reason: error.message }, 'the database is not reachable; trying again')
    return false
  }
}
