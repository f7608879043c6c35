import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { startPostgres } from '../../test/fakes/postgres.ts'
import { Problem } from '../contract/problems.ts'
import { type Database, openDatabase, StoreUnavailable, type Value } from './database.ts'
import {
  findKeyByDigest,
  insertKey,
  keysChangedSince,
  listKeys,
  type NewKey,
  recentKeys,
  revokeKey,
  touchKeys,
} from './keys.ts'
import { migrate, MIGRATION_NUMBERS } from './migrations.ts'
import { insertUsage, sumUsage, type UsageRow } from './usage.ts'

/** Makes one empty store, and opens it as often as asked. */
type NewStore = () => Promise<{ open(): Promise<Database>; remove(): Promise<void> }>

const postgres = await startPostgres()
after(() => ('skip' in postgres ? undefined : postgres.stop()))

const STORES: { name: string; newStore: NewStore; skip: string | false }[] = [
  { name: 'SQLite', newStore: newSqlite, skip: false },
  { name: 'PostgreSQL', newStore: newPostgres, skip: 'skip' in postgres ? postgres.skip : false },
]

for (const { name, newStore, skip } of STORES) {
  describe(`the store on ${name}`, { skip }, () => {
    test('migrates once, and finds nothing to do the second time', () =>
      withStore(newStore, async (open) => {
        const db = await open()
        assert.deepEqual(await migrate(db), { applied: MIGRATION_NUMBERS })
        assert.deepEqual(await migrate(db), { applied: [] })
      }))

    test('is migrated by exactly one of eight that start at once', () =>
      withStore(newStore, async (open) => {
        const all = await Promise.all(Array.from({ length: 8 }, async () => migrate(await open())))
        assert.deepEqual(all.flatMap(({ applied }) => applied).sort(), MIGRATION_NUMBERS)
      }))

    test('refuses a schema from the future in a clear sentence', () =>
      withStore(newStore, async (open) => {
        const db = await migrated(open)
        await db.query('INSERT INTO schema_migrations (number, applied_at) VALUES (999, now_ms())')
        await assert.rejects(
          migrate(db),
          new RegExp(
            `has schema 999, and this program knows schemas up to ${MIGRATION_NUMBERS.at(-1)}: .* newer Gatehouse`,
          ),
        )
      }))

    test('takes a transaction as a whole or not at all', () =>
      withStore(newStore, async (open) => {
        const db = await withTable(open)
        const insert = (id: string) => ({ sql: 'INSERT INTO things (id) VALUES ($1)', values: [id] })
        await assert.rejects(db.transaction([insert('a'), insert('b'), insert('a')]))
        assert.deepEqual(await db.query('SELECT id FROM things'), [])
        const results = await db.transaction([insert('a'), { sql: 'SELECT id FROM things' }])
        assert.deepEqual(results, [
          { rows: [], changes: 1 },
          { rows: [{ id: 'a' }], changes: 1 },
        ])
        assert.deepEqual(await db.transaction([]), [])
      }))

    test('lets one of many concurrent calls fail alone', () =>
      withStore(newStore, async (open) => {
        const db = await withTable(open)
        const insert = (index: number) => ({ sql: 'INSERT INTO things (id) VALUES ($1)', values: [`${index}`] })
        const twice = (index: number) => (index % 10 === 3 ? [insert(index), insert(index)] : [insert(index)])
        const settled = await Promise.allSettled(Array.from({ length: 30 }, (_, index) => db.transaction(twice(index))))
        const failed = settled.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))
        assert.deepEqual(failed, [3, 13, 23])
        assert.equal((await db.query('SELECT id FROM things')).length, 27)
      }))

    test('gives every value back as it was', () =>
      withStore(newStore, async (open) => {
        const db = await withTable(open)
        const rows: [text: Value, whole: Value, real: Value, bytes: Value][] = [
          ['plain', 0, 0.1, new Uint8Array([0, 1, 255])],
          ['Ünï 漢字 🏛️ \u202e \n \\ \' " 007 1e3', Number.MAX_SAFE_INTEGER, 5e-324, new Uint8Array(0)],
          ['', -Number.MAX_SAFE_INTEGER, 1.7976931348623157e308, Buffer.from('within a larger pool')],
          ['0123', 1_700_000_000_123, -2.5, new Uint8Array([1, 2, 3, 4]).subarray(1, 3)],
          [null, null, null, null],
        ]
        for (const [index, row] of rows.entries()) {
          const sql = 'INSERT INTO things (id, label, whole, real, bytes) VALUES ($1, $2, $3, $4, $5)'
          await db.query(sql, [`${index}`, ...row])
        }
        const found = await db.query<Record<string, Value>>('SELECT label, whole, real, bytes FROM things ORDER BY id')
        const expected = rows.map(([label, whole, real, bytes]) => ({ label, whole, real, bytes: asPlainBytes(bytes) }))
        assert.deepEqual(found, expected)
      }))

    test('fails only the call whose value no database takes, or makes something harmless of it', () =>
      withStore(newStore, async (open) => {
        const db = await withTable(open)
        await db.query('INSERT INTO things (id, label) VALUES ($1, $2)', ['nul', 'a\0b'])
        const [row] = await db.query<{ label: string }>('SELECT label FROM things WHERE id = $1', ['nul'])
        assert.match(row!.label, /^a(\0|\uFFFD)b$/)
        const [bad, good] = await Promise.allSettled([
          db.query('SELECT whole FROM things WHERE whole = $1', [{} as unknown as Value]),
          db.query('SELECT id FROM things'),
        ])
        assert.equal(bad.status, 'rejected')
        assert.equal(good.status, 'fulfilled')
      }))

    test('takes placeholders in any order and more than once', () =>
      withStore(newStore, async (open) => {
        const db = await withTable(open)
        await db.query('INSERT INTO things (label, id, whole) VALUES ($2, $1, $3)', ['id', 'label', 1])
        const sql = 'SELECT id FROM things WHERE whole = $2 AND (id = $1 OR label = $1) AND whole >= $2'
        assert.deepEqual(await db.query(sql, ['label', 1]), [{ id: 'id' }])
      }))

    test('shows what one instance wrote to another', () =>
      withStore(newStore, async (open) => {
        const [one, other] = [await migrated(open), await open()]
        const key = newKey()
        await insertKey(one, key)
        assert.equal((await findKeyByDigest(other, key.digest))?.id, key.id)
        assert.equal(await revokeKey(other, key.id), true)
        assert.notEqual((await findKeyByDigest(one, key.digest))?.revokedAt, null)
      }))

    test('takes SQL in values for the text it is', () =>
      withStore(newStore, async (open) => {
        const db = await migrated(open)
        for (const text of ["'; DROP TABLE keys; --", '$1', '" OR 1=1 --', "\\'; SELECT 1", '%_%', '/*', '?1']) {
          const key = newKey({ name: text, owner: text })
          await insertKey(db, key)
          assert.equal((await findKeyByDigest(db, key.digest))?.name, text)
          const { keys } = await listKeys(db, { limit: 10, owner: text })
          assert.deepEqual(
            keys.map(({ id }) => id),
            [key.id],
          )
          assert.equal(await findKeyByDigest(db, text), undefined)
          assert.equal(await revokeKey(db, text), false)
        }
      }))

    test('answers nobody after it was closed, which may happen twice', () =>
      withStore(newStore, async (open) => {
        const db = await open()
        await Promise.all([db.close(), db.close()])
        await db.close()
        await assert.rejects(db.query('SELECT 1'), StoreUnavailable)
      }))

    test('keeps a key, once per digest', () =>
      withStore(newStore, async (open) => {
        const db = await migrated(open)
        const key = newKey({ scopes: ['chat', 'images'], expiresAt: 4_102_444_800_000 })
        const stored = await insertKey(db, key)
        assert.ok(stored)
        assert.ok(stored.createdAt > 1_700_000_000_000 && Number.isInteger(stored.createdAt))
        const { createdAt, updatedAt, ...rest } = stored
        assert.deepEqual(rest, { ...key, revokedAt: null, lastUsedAt: null })
        assert.deepEqual(await findKeyByDigest(db, key.digest), stored)
        assert.equal(await insertKey(db, newKey({ digest: key.digest })), undefined)
        assert.equal((await insertKey(db, newKey()))?.scopes, null)
      }))

    test('lists keys newest first, page by page', () =>
      withStore(newStore, async (open) => {
        const db = await migrated(open)
        // Several of them share a millisecond.
        const inserted = await Promise.all(Array.from({ length: 23 }, () => insertKey(db, newKey({ owner: 'many' }))))
        await insertKey(db, newKey({ owner: 'other' }))
        const pages = await allPages(db, 'many')
        assert.deepEqual(
          pages.map((page) => page.length),
          [10, 10, 3],
        )
        const times = pages.flat().map((key) => key.createdAt)
        assert.deepEqual(
          times,
          times.toSorted((one, other) => other - one),
        )
        assert.deepEqual(new Set(pages.flat().map((key) => key.id)), new Set(inserted.map((key) => key!.id)))
        assert.equal((await listKeys(db, { limit: 24 })).keys.length, 24)
        assert.equal((await listKeys(db, { limit: 24 })).nextCursor, null)
      }))

    test('refuses a cursor it did not write as the problem of the caller', () =>
      withStore(newStore, async (open) => {
        const db = await migrated(open)
        for (const cursor of ['', 'x', '%00', Buffer.from('12').toString('base64url')])
          await assert.rejects(
            listKeys(db, { limit: 1, cursor }),
            (error) => error instanceof Problem && error.status === 422,
          )
      }))

    test('revokes a key for good, and says so in the changes', () =>
      withStore(newStore, async (open) => {
        const db = await migrated(open)
        const [quiet, revoked] = [await insertKey(db, newKey()), await insertKey(db, newKey())]
        await passMillisecond(db, revoked!.updatedAt)
        assert.equal(await revokeKey(db, revoked!.id), true)
        const changes = await keysChangedSince(db, revoked!.updatedAt + 1)
        assert.deepEqual(
          changes.map(({ id }) => id),
          [revoked!.id],
        )
        assert.equal(changes[0]!.revokedAt, changes[0]!.updatedAt)
        await passMillisecond(db, changes[0]!.updatedAt)
        assert.equal(await revokeKey(db, revoked!.id), true)
        assert.deepEqual(await findKeyByDigest(db, revoked!.digest), changes[0])
        assert.equal(await revokeKey(db, randomUUID()), false)
        assert.deepEqual(
          (await keysChangedSince(db, 0)).map(({ id }) => id),
          [quiet!.id, revoked!.id],
        )
      }))

    test('notes the last use of keys, forward only and without calling it a change', () =>
      withStore(newStore, async (open) => {
        const db = await migrated(open)
        const keys: Awaited<ReturnType<typeof insertKey>>[] = []
        while (keys.length < 113) keys.push(await insertKey(db, newKey()))
        const before = await keysChangedSince(db, 0)
        await touchKeys(
          db,
          keys.map((key, index) => ({ id: key!.id, at: 1_000 + index })),
        )
        await touchKeys(db, [
          { id: keys[0]!.id, at: 999 },
          { id: keys[1]!.id, at: 5_000 },
          { id: 'unknown', at: 1 },
        ])
        await touchKeys(db, [])
        const after = await keysChangedSince(db, 0)
        const expected = new Map(keys.map((key, index) => [key!.id, index === 1 ? 5_000 : 1_000 + index]))
        assert.deepEqual(new Map(after.map((key) => [key.id, key.lastUsedAt])), expected)
        assert.deepEqual(
          after.map((key) => key.updatedAt),
          before.map((key) => key.updatedAt),
        )
      }))

    test('names the keys that were used or made last, without revoked ones', () =>
      withStore(newStore, async (open) => {
        const db = await migrated(open)
        const [old, used, revoked] = [
          await insertKey(db, newKey()),
          await insertKey(db, newKey()),
          await insertKey(db, newKey()),
        ]
        await touchKeys(db, [{ id: used!.id, at: Number.MAX_SAFE_INTEGER }])
        await revokeKey(db, revoked!.id)
        const names = async (limit: number) => (await recentKeys(db, limit)).map(({ id }) => id)
        assert.deepEqual(await names(10), [used!.id, old!.id])
        assert.deepEqual(await names(1), [used!.id])
      }))

    test('counts a usage row once, however often and in whatever batch it is sent', () =>
      withStore(newStore, async (open) => {
        const db = await migrated(open)
        const rows = Array.from({ length: 1_234 }, (_, index) => newUsage({ at: index }))
        await insertUsage(db, rows)
        await insertUsage(db, rows)
        await Promise.all([
          insertUsage(db, rows.slice(0, 50)),
          insertUsage(db, [...rows.slice(40), newUsage({ at: 1_234 })]),
        ])
        await insertUsage(db, [])
        const [sum] = await sumUsage(db, { from: 0, to: 2_000, groupBy: 'provider' })
        assert.equal(sum!.requests, 1_235)
        assert.equal(sum!.promptTokens, 12_350)
      }))

    test('keeps counts that no integer column would take from blocking the ledger', () =>
      withStore(newStore, async (open) => {
        const db = await migrated(open)
        const strange = {
          promptTokens: 1.5,
          cachedTokens: Number.NaN,
          completionTokens: 1e300,
          cost: Number.NaN,
          model: 'a\0b',
        }
        await insertUsage(db, [newUsage(strange)])
        const [sum] = await sumUsage(db, { from: 0, to: 10, groupBy: 'day' })
        assert.deepEqual(sum, {
          group: '1970-01-01',
          requests: 1,
          promptTokens: 2,
          cachedTokens: 0,
          completionTokens: Number.MAX_SAFE_INTEGER,
          cost: 0,
          unpricedRequests: 1,
          failedRequests: 0,
        })
      }))

    test('sums usage by key, model, provider and day', () =>
      withStore(newStore, async (open) => {
        const db = await migrated(open)
        const leapDay = Date.UTC(2028, 1, 29, 23, 59, 59, 999)
        await insertUsage(db, [
          newUsage({ at: leapDay, keyId: 'k1', model: 'm1', provider: 'p1', cost: 0.25 }),
          newUsage({
            at: leapDay + 1,
            keyId: 'k1',
            model: 'm2',
            provider: 'p2',
            cost: null,
            status: 502,
            code: 'upstream_error',
          }),
          newUsage({
            at: leapDay + 2,
            keyId: 'k2',
            model: 'm2',
            provider: 'p2',
            cost: 0.5,
            cachedTokens: 4,
            code: 'cut',
          }),
          newUsage({ at: leapDay + 3, keyId: 'outside' }),
        ])
        const sums = (groupBy: Parameters<typeof sumUsage>[1]['groupBy']) =>
          sumUsage(db, { from: leapDay, to: leapDay + 3, groupBy })
        const one = {
          requests: 1,
          promptTokens: 10,
          cachedTokens: 0,
          completionTokens: 20,
          unpricedRequests: 0,
          failedRequests: 0,
        }
        const two = {
          requests: 2,
          promptTokens: 20,
          cachedTokens: 4,
          completionTokens: 40,
          cost: 0.5,
          unpricedRequests: 1,
          failedRequests: 2,
        }
        assert.deepEqual(await sums('provider'), [
          { group: 'p1', ...one, cost: 0.25 },
          { group: 'p2', ...two },
        ])
        assert.deepEqual(await sums('model'), [
          { group: 'm1', ...one, cost: 0.25 },
          { group: 'm2', ...two },
        ])
        assert.deepEqual(await sums('day'), [
          { group: '2028-02-29', ...one, cost: 0.25 },
          { group: '2028-03-01', ...two },
        ])
        assert.deepEqual(await sums('key'), [
          {
            group: 'k1',
            ...one,
            requests: 2,
            promptTokens: 20,
            completionTokens: 40,
            cost: 0.25,
            unpricedRequests: 1,
            failedRequests: 1,
          },
          { group: 'k2', ...one, cachedTokens: 4, cost: 0.5, failedRequests: 1 },
        ])
        assert.deepEqual(await sumUsage(db, { from: 0, to: 1, groupBy: 'day' }), [])
      }))
  })
}

/** Hands a fresh store to the test, and closes and removes everything afterwards. */
async function withStore(newStore: NewStore, body: (open: () => Promise<Database>) => Promise<void>) {
  const store = await newStore()
  const opened: Database[] = []
  try {
    await body(async () => {
      const db = await store.open()
      opened.push(db)
      return db
    })
  } finally {
    await Promise.allSettled(opened.map((db) => db.close()))
    await store.remove()
  }
}

async function newSqlite() {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-store-'))
  return { open: () => openDatabase({ dataDir }), remove: () => rm(dataDir, { recursive: true }) }
}

async function newPostgres() {
  if ('skip' in postgres) throw new Error(postgres.skip)
  const name = `store_${randomUUID().replaceAll('-', '')}`
  const url = new URL(postgres.url)
  url.pathname = name
  await administer(postgres.url, `CREATE DATABASE ${name}`)
  return {
    open: () => openDatabase({ databaseUrl: url.href, dataDir: '' }),
    remove: () => administer(postgres.url, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

async function administer(databaseUrl: string, sql: string) {
  const db = await openDatabase({ databaseUrl, dataDir: '' })
  await db.query(sql)
  await db.close()
}

async function migrated(open: () => Promise<Database>): Promise<Database> {
  const db = await open()
  await migrate(db)
  return db
}

async function withTable(open: () => Promise<Database>): Promise<Database> {
  const db = await open()
  await db.query(
    'CREATE TABLE things (id TEXT PRIMARY KEY, label TEXT, whole BIGINT, real DOUBLE PRECISION, bytes BYTEA)',
  )
  return db
}

async function allPages(db: Database, owner: string) {
  const pages = [await listKeys(db, { limit: 10, owner })]
  while (pages.at(-1)!.nextCursor !== null)
    pages.push(await listKeys(db, { limit: 10, owner, cursor: pages.at(-1)!.nextCursor! }))
  return pages.map((page) => page.keys)
}

/** Asks until the store's clock has left that millisecond. */
async function passMillisecond(db: Database, ms: number) {
  while ((await db.query<{ now: number }>('SELECT now_ms() AS now'))[0]!.now <= ms);
}

function newKey(parts: Partial<NewKey> = {}): NewKey {
  const id = randomUUID()
  const digest = randomUUID().replaceAll('-', '').repeat(2)
  const fixed = { name: 'test', kind: 'live', region: 'global', scopes: null, last4: 'abcd', expiresAt: null } as const
  return { id, digest, owner: id, ...fixed, ...parts }
}

function newUsage(parts: Partial<UsageRow> = {}): UsageRow {
  const words = { keyId: 'k', owner: 'o', endpoint: 'chat/completions', model: 'm', provider: 'p' }
  const tokens = { promptTokens: 10, cachedTokens: 0, cacheWriteTokens: 0, completionTokens: 20, reasoningTokens: 0 }
  const outcome = { status: 200, code: null, stream: false, attempts: 1, cost: 0.5, estimated: false }
  return { id: randomUUID(), at: 0, ...words, ...tokens, ...outcome, durationMs: 5, firstTokenMs: null, ...parts }
}

function asPlainBytes(value: Value): Value {
  return value instanceof Uint8Array ? Uint8Array.from(value) : value
}
