import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, type TestContext } from 'node:test'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { migrate } from '../../src/store/migrations.ts'
import { startPostgres } from './postgres.ts'

/** One store, opened by two instances as two processes would. */
export type TestStore = { one: Database; other: Database }

/** Runs the suite on SQLite and on PostgreSQL, each test with empty tables; says so where there is no PostgreSQL. */
export async function onBothStores(title: string, suite: (store: TestStore) => void) {
  const postgres = await startPostgres()
  after(() => ('skip' in postgres ? undefined : postgres.stop()))
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-store-'))
  after(() => rm(dataDir, { recursive: true }))
  await describeStore(`${title} on SQLite`, () => openDatabase({ dataDir }), suite)
  if ('skip' in postgres) describe(`${title} on PostgreSQL`, { skip: postgres.skip }, () => {})
  else
    await describeStore(`${title} on PostgreSQL`, () => openDatabase({ databaseUrl: postgres.url, dataDir: '' }), suite)
}

async function describeStore(title: string, open: () => Promise<Database>, suite: (store: TestStore) => void) {
  const store = { one: await open(), other: await open() }
  await migrate(store.one)
  describe(title, () => {
    beforeEach(() => clear(store.one))
    after(() => Promise.all([store.one.close(), store.other.close()]))
    suite(store)
  })
}

/** Closes what a test opened, last first: hooks of `t.after` run first to last, and would close the store too early. */
export function closer(t: TestContext): AsyncDisposableStack {
  const stack = new AsyncDisposableStack()
  t.after(() => stack.disposeAsync())
  return stack
}

/** An embedded store of its own. */
export async function newStore(closing: AsyncDisposableStack): Promise<Database> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-store-'))
  closing.defer(() => rm(dataDir, { recursive: true }))
  const db = await openDatabase({ dataDir })
  closing.defer(db.close)
  await migrate(db)
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
  return db.transaction(['jobs', 'deliveries'].map((table) => ({ sql: `DELETE FROM ${table}` })))
}
