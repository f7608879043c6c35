import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { migrate } from '../../src/store/migrations.ts'
import { startPostgres } from './postgres.ts'

/** One migrated store for a whole suite, opened by two instances as two processes would. */
export type TestStore = { one: Database; other: Database; clear(): Promise<void> }

const TABLES = ['jobs', 'deliveries']

/** Runs the suite on SQLite and on PostgreSQL; says so where there is no PostgreSQL. */
export async function onBothStores(title: string, suite: (store: () => TestStore) => void) {
  const postgres = await startPostgres()
  after(() => ('skip' in postgres ? undefined : postgres.stop()))
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-store-'))
  after(() => rm(dataDir, { recursive: true }))
  const sqlite = await openStore(() => openDatabase({ dataDir }))
  describe(`${title} on SQLite`, () => suite(() => sqlite))
  if ('skip' in postgres) return describe(`${title} on PostgreSQL`, { skip: postgres.skip }, () => {})
  const server = await openStore(() => openDatabase({ databaseUrl: postgres.url, dataDir: '' }))
  describe(`${title} on PostgreSQL`, () => suite(() => server))
}

async function openStore(open: () => Promise<Database>): Promise<TestStore> {
  const [one, other] = [await open(), await open()]
  await migrate(one)
  after(() => Promise.all([one.close(), other.close()]))
  return { one, other, clear }

  async function clear() {
    await one.transaction(TABLES.map((table) => ({ sql: `DELETE FROM ${table}` })))
  }
}

export function newJob<Parts extends object>(parts?: Parts) {
  const address = { feature: 'text', subfeature: 'moderation', provider: 'sandbox', model: null }
  const rest = { request: { input: { text: 'hello' } }, showOriginal: false, webhook: null, idempotency: null }
  return { id: randomUUID(), owner: 'owner', keyId: 'key', ...address, ...rest, ...parts }
}
