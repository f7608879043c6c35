import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, beforeEach, describe, type TestContext } from 'node:test'
import type { Database } from '../../src/platform/store/database.ts'
import { openDatabase } from '../../src/platform/store/open-database.ts'
import { migrate } from '../../src/platform/store/migrations.ts'
import { memoryFolder } from './memory-folder.ts'
import { seedMigratedFile } from './migrated-file.ts'
import { startPgBouncer } from './pgbouncer.ts'
import { startPostgres } from './postgres.ts'

/**
 * A hundred concurrent queries wait for a few connections. How long that takes on a busy machine does not matter to these
 * tests, nor to gateways and commands that they start.
 */
const UNHURRIED_SECONDS = 600
const STATEMENT_LIMITS = ['statement_timeout', 'idle_in_transaction_session_timeout', 'query_timeout']
const TABLES = [
  'jobs',
  'files',
  'batches',
  'deliveries',
  'keys',
  'usage',
  'usage_rollups',
  'unrolled_batches',
  'leases',
  'settings',
  'secrets',
  'processes',
  'former_secrets',
  'aliases',
  'credentials',
  'catalogs',
  'users',
  'members',
  'sessions',
  'invitations',
  'admin_tokens',
  'account_links',
  'sign_in_limits',
  'device_codes',
  'agent_sessions',
  'refresh_tokens',
  'conversations',
  'collections',
  'contents',
  'alerts',
]

/** One store, opened by two instances as two processes would. */
type TestStore = { one: Database; other: Database }

/** A store that is not open yet. */
export type NewStore = { databaseUrl?: string; open(): Promise<Database>; remove(): Promise<void> }

/** A database for the suite, or the reason why it is skipped. A new store has the newest schema, an empty one has none. */
export type StoreKind = {
  name: string
  skip: string | false
  newStore(): Promise<NewStore>
  emptyStore(): Promise<NewStore>
}

/** One server for all test files of this process, with a database for each store. It ends with the process. */
let server: ReturnType<typeof startPostgres> | undefined

export async function storeKinds(): Promise<StoreKind[]> {
  server ??= startPostgres({ inMemory: true })
  const postgres = await server
  const skip = 'skip' in postgres ? postgres.skip : false
  const direct = 'url' in postgres ? postgres.url : ''
  const kinds: StoreKind[] = [
    { name: 'SQLite', skip: false, newStore: newSqlite, emptyStore: emptySqlite },
    { name: 'PostgreSQL', skip, ...postgresStores(direct) },
  ]
  return process.env.GATEHOUSE_SOAK ? [...kinds, await pooled(direct)] : kinds
}

let pooler: ReturnType<typeof startPgBouncer> | undefined

/** Through PgBouncer in transaction mode, in the long form of the tests. */
async function pooled(direct: string): Promise<StoreKind> {
  pooler ??= direct === '' ? Promise.resolve({ skip: 'PgBouncer needs PostgreSQL' }) : startPgBouncer(direct)
  const pgbouncer = await pooler
  const skip = 'skip' in pgbouncer ? pgbouncer.skip : false
  return { name: 'PgBouncer', skip, ...postgresStores(direct, 'url' in pgbouncer ? pgbouncer.url : '') }
}

/** Runs the suite on SQLite and on PostgreSQL, each test with empty tables. Reports if there is no PostgreSQL. */
export async function onBothStores(title: string, suite: (store: TestStore) => void) {
  for (const { name, skip, newStore } of await storeKinds())
    if (skip) describe(`${title} on ${name}`, { skip }, () => {})
    else await describeStore(`${title} on ${name}`, await newStore(), suite)
}

async function describeStore(title: string, { open, remove }: NewStore, suite: (store: TestStore) => void) {
  const store = { one: await open(), other: await open() }
  describe(title, () => {
    beforeEach(() => clear(store.one))
    after(async () => {
      await Promise.all([store.one.close(), store.other.close()])
      await remove()
    })
    suite(store)
  })
}

async function newSqlite(): Promise<NewStore> {
  const dataDir = await mkdtemp(join(memoryFolder(), 'gatehouse-store-'))
  await seedMigratedFile(dataDir)
  return storeIn(dataDir)
}

async function emptySqlite(): Promise<NewStore> {
  return storeIn(await mkdtemp(join(memoryFolder(), 'gatehouse-store-')))
}

function storeIn(dataDir: string): NewStore {
  return { open: () => openDatabase({ dataDir }), remove: () => rm(dataDir, { recursive: true }) }
}

function postgresStores(server: string, through = server): Pick<StoreKind, 'newStore' | 'emptyStore'> {
  return {
    newStore: async () => newPostgres(server, through, await migratedTemplate(server)),
    emptyStore: () => newPostgres(server, through),
  }
}

/** A database of its own on this server, reached through a pooler or directly. */
export async function newPostgres(server: string, through = server, template?: string): Promise<NewStore> {
  const name = `store_${randomUUID().replaceAll('-', '')}`
  const url = new URL(through)
  url.pathname = name
  unhurried(url, through === server)
  await administer(server, `CREATE DATABASE ${name}${template ? ` TEMPLATE ${template}` : ''}`)
  return {
    databaseUrl: url.href,
    open: () => openDatabase({ databaseUrl: url.href, dataDir: '' }),
    remove: () => administer(server, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

/** A pooler refuses to set limits of statements. */
function unhurried({ searchParams }: URL, isDirect: boolean): void {
  searchParams.set('connect_timeout', String(UNHURRIED_SECONDS))
  if (isDirect) for (const limit of STATEMENT_LIMITS) searchParams.set(limit, String(UNHURRIED_SECONDS * 1_000))
}

/** The name of a database with the newest schema, which the server copies. It is made once for each process. */
let template: Promise<string> | undefined

function migratedTemplate(server: string): Promise<string> {
  template ??= makeTemplate(server)
  return template
}

async function makeTemplate(server: string): Promise<string> {
  const { databaseUrl, open } = await newPostgres(server)
  const db = await open()
  await migrate(db)
  await db.close()
  return new URL(databaseUrl!).pathname.slice(1)
}

async function administer(databaseUrl: string, sql: string) {
  const db = await openDatabase({ databaseUrl, dataDir: '', connectionWaitMs: UNHURRIED_SECONDS * 1_000 })
  await db.query(sql)
  await db.close()
}

/** Closes what a test opened, last first. Hooks of `t.after` run first to last and would close the store too early. */
export function closer(t: TestContext): AsyncDisposableStack {
  const stack = new AsyncDisposableStack()
  t.after(() => stack.disposeAsync())
  return stack
}

/** An embedded store of its own. */
export async function newStore(closing: AsyncDisposableStack): Promise<Database> {
  const { open, remove } = await newSqlite()
  closing.defer(remove)
  const db = await open()
  closing.defer(db.close)
  return db
}

/** One embedded store for a file of tests, empty at the start of each. */
export async function storeForAll(): Promise<Database> {
  const closing = new AsyncDisposableStack()
  const db = await newStore(closing)
  beforeEach(() => clear(db))
  after(() => closing.disposeAsync())
  return db
}

function clear(db: Database) {
  const statements = TABLES.map((table) => ({ sql: `DELETE FROM ${table}` }))
  const projects = [
    { sql: "DELETE FROM projects WHERE id NOT IN ('personal', 'default')" },
    { sql: 'UPDATE projects SET policy = NULL, region = NULL' },
    { sql: "DELETE FROM organizations WHERE id <> 'default'" },
  ]
  return db.transaction([...statements, ...projects])
}

/** Polls until the store's clock has left that millisecond. */
export async function passMillisecond(db: Database, ms: number) {
  while ((await nowOf(db)) <= ms);
}

/**
 * Rows of one millisecond are listed in the order of their random ids. What is made after this call is younger than what was
 * made before it.
 */
export async function nextMillisecond(db: Database) {
  await passMillisecond(db, await nowOf(db))
}

async function nowOf(db: Database): Promise<number> {
  return (await db.query<{ now: number }>('SELECT now_ms() AS now'))[0]!.now
}
