import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { storeKinds, type StoreKind } from '../../../test/fakes/stores.ts'
import { withMigration } from '../../../test/fakes/with-migration.ts'
import { type Database, StoreUnavailable } from './database.ts'
import type { NumberedMigration } from './migration.ts'
import { MIGRATIONS, type MigrationProgress, migrate } from './migrations.ts'

// Every test uses a store that no process has opened before. What the next version will do is played by an artificial migration.

const NEXT: NumberedMigration = {
  number: MIGRATIONS.length + 1,
  statements: () => ['ALTER TABLE settings ADD COLUMN note TEXT', 'UPDATE settings SET note = value'],
}
const WITH_NEXT = [...MIGRATIONS, NEXT]

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

    test('keeps its rows through the next migration, which one of four that start at once applies', () =>
      withStore(emptyStore, async (open) => {
        const db = await migrated(open)
        await db.query("INSERT INTO settings (name, value) VALUES ('kept', 'value')")
        const told: number[][] = []
        const upgrade = async (own: Database) =>
          migrate(own, {
            progress: ({ migration, newest }) => void told.push([migration, newest]),
            migrations: WITH_NEXT,
          })
        const all = await Promise.all(Array.from({ length: 4 }, async () => upgrade(await open())))
        assert.deepEqual(
          all.flatMap(({ applied }) => applied),
          [NEXT.number],
        )
        assert.ok(told.length > 0 && told.every(([number, newest]) => number === NEXT.number && newest === NEXT.number))
        const [row] = await db.query<{ value: string; note: string }>('SELECT value, note FROM settings')
        assert.deepEqual({ ...row }, { value: 'value', note: 'value' })
        assert.deepEqual(await migrate(db, { migrations: WITH_NEXT }), { applied: [] })
      }))

    test('a further migration runs in one of four that start at once, and says how far it is', () =>
      withStore(emptyStore, async (open) => {
        const db = await migrated(open)
        await db.query('CREATE TABLE things (id BIGINT)')
        const migrations = withMigration(['INSERT INTO things VALUES (1)', 'INSERT INTO things VALUES (2)'])
        const all = await Promise.all(Array.from({ length: 4 }, open))
        const seen = await Promise.all(all.map((one) => progressOf(one, migrations)))
        // One that waited ends with the row that says that the migration was applied.
        const [first, ...others] = seen.toSorted((one, other) => other.length - one.length)
        const number = migrations.length
        const at = (statement: number) => ({ migration: number, newest: number, statement, statements: 2 })
        assert.deepEqual(first, [at(0), at(1), at(2)])
        assert.deepEqual(
          others.flat().filter(({ statement }) => statement > 1),
          [],
        )
        assert.deepEqual(await db.query('SELECT id FROM things ORDER BY id'), [{ id: 1 }, { id: 2 }])
      }))

    test('stays as it was if the next migration fails, and a repaired one goes on from there', () =>
      withStore(emptyStore, async (open) => {
        const db = await migrated(open)
        const broken = { ...NEXT, statements: () => [...NEXT.statements(db.kind), 'UPDATE no_such_table SET note = 1'] }
        await assert.rejects(migrate(db, { migrations: [...MIGRATIONS, broken] }), /no_such_table/)
        await assert.rejects(db.query('SELECT note FROM settings'), /note/)
        assert.deepEqual(await migrate(db), { applied: [] })
        assert.deepEqual(await migrate(db, { migrations: WITH_NEXT }), { applied: [NEXT.number] })
      }))

    test('refuses an older program in a clear sentence, and changes nothing', () =>
      withStore(emptyStore, async (open) => {
        const db = await open()
        await migrate(db, { migrations: WITH_NEXT })
        await assert.rejects(migrate(db), {
          name: 'StoreTooNew',
          message: new RegExp(
            `has schema ${NEXT.number}, .* knows only schemas up to ${MIGRATIONS.length}: .* roll back by .*backup`,
          ),
        })
        assert.deepEqual(await migrate(db, { migrations: WITH_NEXT }), { applied: [] })
      }))

    test('refuses every query after it was closed, which may happen twice', () =>
      withStore(emptyStore, async (open) => {
        const db = await open()
        await Promise.all([db.close(), db.close()])
        await db.close()
        await assert.rejects(db.query('SELECT 1'), StoreUnavailable)
      }))
  })
}

/** Without repetitions: the last statement is also reported when it is done. */
async function progressOf(db: Database, migrations: readonly NumberedMigration[]): Promise<MigrationProgress[]> {
  const seen: MigrationProgress[] = []
  await migrate(db, { migrations, progress: (at) => void (at.statement === seen.at(-1)?.statement || seen.push(at)) })
  return seen
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
