import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { storeKinds, type StoreKind } from '../../test/fakes/stores.ts'
import { type Database, StoreUnavailable } from './database.ts'
import { MIGRATIONS, migrate } from './migrations.ts'

// Every test uses a store that nobody has opened before.

for (const { name, emptyStore, skip } of await storeKinds()) {
  describe(`a new store on ${name}`, { skip }, () => {
    test('migrates once, and finds nothing to do the second time', () =>
      withStore(emptyStore, async (open) => {
        const db = await open()
        assert.deepEqual(await migrate(db), { applied: MIGRATIONS.map(({ number }) => number) })
        assert.deepEqual(await migrate(db), { applied: [] })
      }))

    test('is migrated by exactly one of four that start at once', () =>
      withStore(emptyStore, async (open) => {
        const all = await Promise.all(Array.from({ length: 4 }, async () => migrate(await open())))
        assert.deepEqual(
          all.flatMap(({ applied }) => applied).sort((one, other) => one - other),
          MIGRATIONS.map(({ number }) => number),
        )
      }))

    test('refuses a schema from the future in a clear sentence', () =>
      withStore(emptyStore, async (open) => {
        const db = await migrated(open)
        await db.query('INSERT INTO schema_migrations (number, applied_at) VALUES (999, now_ms())')
        await assert.rejects(migrate(db), {
          name: 'StoreTooNew',
          message: new RegExp(
            `has schema 999, .* knows only schemas up to ${MIGRATIONS.length}: .* roll back by .*backup`,
          ),
        })
      }))

    test('answers nobody after it was closed, which may happen twice', () =>
      withStore(emptyStore, async (open) => {
        const db = await open()
        await Promise.all([db.close(), db.close()])
        await db.close()
        await assert.rejects(db.query('SELECT 1'), StoreUnavailable)
      }))
  })
}

/** Hands a fresh store to the test, and closes and removes everything afterwards. */
async function withStore(emptyStore: StoreKind['emptyStore'], body: (open: () => Promise<Database>) => Promise<void>) {
  const store = await emptyStore()
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

async function migrated(open: () => Promise<Database>): Promise<Database> {
  const db = await open()
  await migrate(db)
  return db
}
