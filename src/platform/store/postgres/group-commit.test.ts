import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startPostgres } from '../../../../test/fakes/postgres.ts'
import { type Database, type Statement, StoreUnavailable } from '../database.ts'
import { openDatabase } from '../open-database.ts'

const CALLS = 40
const TOGETHER = { together: true }

const postgres = await startPostgres()
after(() => ('skip' in postgres ? undefined : postgres.stop()))

describe('group commit', { skip: 'skip' in postgres ? postgres.skip : false }, () => {
  test('calls that come while others are committed share a transaction, and each gets its own results', async () => {
    await withTable(async (db) => {
      const calls = Array.from({ length: CALLS }, (_, index) => db.transaction([insert(index), ID], TOGETHER))
      assert.equal(db.waiting, CALLS)
      const results = await Promise.all(calls)
      assert.deepEqual(
        results.map(([inserted]) => inserted!.rows),
        Array.from({ length: CALLS }, (_, index) => [{ number: index }]),
      )
      // The first two, then 32, then the rest.
      assert.equal(new Set(results.map(([, id]) => id!.rows[0]!.id)).size, 4)
      assert.deepEqual([await countOf(db), db.waiting], [CALLS, 0])
    })
  })

  test('a call that fails undoes only itself', async () => {
    await withTable(async (db) => {
      const wrong = new Set([0, 7, 8, CALLS - 1])
      const call = (index: number) => [insert(index), wrong.has(index) ? { sql: 'SELECT 1 / 0' } : ID]
      const calls = Array.from({ length: CALLS }, (_, index) => db.transaction(call(index), TOGETHER))
      const outcomes = await Promise.allSettled(calls)
      const failed = outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))
      assert.deepEqual(failed, [...wrong])
      assert.equal(await countOf(db), CALLS - wrong.size)
    })
  })

  test('large values are not sent together', async () => {
    await withTable(async (db) => {
      const large = { sql: 'SELECT LENGTH($1) AS length', values: ['x'.repeat(600_000)] }
      const calls = Array.from({ length: 6 }, () => db.transaction([large, ID], TOGETHER))
      const ids = (await Promise.all(calls)).map(([, id]) => id!.rows[0]!.id)
      assert.equal(new Set(ids).size, 6)
    })
  })

  test('what is not committed when the server ends is not acknowledged, and calls go on when it is back', async () => {
    if ('skip' in postgres) return assert.fail(postgres.skip)
    await withTable(async (db) => {
      const sleeping = [insert(-1), { sql: 'SELECT pg_sleep(30)' }]
      const calls = [sleeping, sleeping, ...Array.from({ length: CALLS }, (_, index) => [insert(index)])]
      const outcomes = Promise.allSettled(calls.map((call) => db.transaction(call, TOGETHER)))
      const isRunning = "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(30)'"
      while ((await db.query(isRunning)).length < 1);
      await postgres.interrupt('SIGKILL')
      for (const outcome of await outcomes)
        assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailable)
      await postgres.resume()
      assert.equal(await countOf(db), 0)
      await db.transaction([insert(1)], TOGETHER)
      assert.equal(await countOf(db), 1)
    })
  })
})

const ID: Statement = { sql: 'SELECT txid_current() AS id' }

function insert(number: number): Statement {
  return { sql: 'INSERT INTO numbers VALUES ($1) RETURNING number', values: [number] }
}

async function countOf(db: Database): Promise<number> {
  return (await db.query<{ count: number }>('SELECT COUNT(*) AS count FROM numbers'))[0]!.count
}

async function withTable(body: (db: Database) => Promise<void>) {
  const db = await openDatabase({ databaseUrl: 'skip' in postgres ? '' : postgres.url, dataDir: '' })
  try {
    await db.query('DROP TABLE IF EXISTS numbers')
    await db.query('CREATE TABLE numbers (number BIGINT)')
    await body(db)
  } finally {
    await db.close()
  }
}
