import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { withEnoughTime } from '../../../../test/fakes/enough-time.ts'
import { startPostgres } from '../../../../test/fakes/postgres.ts'
import { type Database, type DatabaseOptions, StoreUnavailable } from '../database.ts'
import { openDatabase } from '../open-database.ts'

/** The default: twenty processes fit into the hundred connections of a server. */
const CONNECTIONS = 4
const LONG_WAIT = { connectionWaitMs: 120_000 }

const postgres = await startPostgres({ settings: { deadlock_timeout: '20ms' } })
const url = 'skip' in postgres ? '' : postgres.url
after(() => ('skip' in postgres ? undefined : postgres.stop()))

describe('PostgreSQL', { skip: 'skip' in postgres ? postgres.skip : false }, () => {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    test(`a server that ends by ${signal} is unavailable, and found again when it is back`, async () => {
      if ('skip' in postgres) return assert.fail(postgres.skip)
      await withDatabase(async (db) => {
        await fillPool(db, 0.01)
        const running = Promise.allSettled([db.query('SELECT pg_sleep(30)'), db.transaction(twoSleeps(30))])
        await untilRunning(db, 2)
        await postgres.interrupt(signal)
        for (const outcome of await running) assertUnavailable(outcome.status === 'rejected' && outcome.reason)
        await untilUnavailable(() => db.query('SELECT 1'))
        await untilUnavailable(() => db.transaction(twoSleeps(0)))
        await postgres.resume()
        assert.deepEqual(await db.query('SELECT 1 AS one'), [{ one: 1 }])
        await fillPool(db, 0.01)
      })
    })
  }

  test('a call waits for a free connection, and fails with that reason when its time is over', async () => {
    await withEnoughTime(1_000, (connectionWaitMs) =>
      withDatabase(
        async (db) => {
          const [busy, short] = [fillPool(db, (1.6 * connectionWaitMs) / 1_000), db.query('SELECT 1')]
          busy.catch(() => {})
          await assert.rejects(short, (error) => {
            assertUnavailable(error)
            return /did not answer in time/.test((error as Error).message)
          })
          const late = db.query('SELECT 1 AS one')
          await busy
          assert.deepEqual(await late, [{ one: 1 }])
        },
        { connectionWaitMs, databaseUrl: `${url}&statement_timeout=600000&query_timeout=600000` },
      ),
    )
  })

  test('no more connections are opened than configured', async () => {
    for (const connections of [undefined, 1, 7]) {
      await withDatabase(
        async (db) => {
          await Promise.all(Array.from({ length: 20 }, () => db.query('SELECT pg_sleep(0.01)')))
          const sql = "SELECT COUNT(*) AS count FROM pg_stat_activity WHERE application_name = 'gatehouse'"
          assert.deepEqual(await db.query(sql), [{ count: connections ?? CONNECTIONS }])
        },
        { ...LONG_WAIT, connections },
      )
    }
  })

  test('a server without a free connection is asked again until one is free or the time is over', async () => {
    await withDatabase((db) => db.query('CREATE ROLE narrow LOGIN CONNECTION LIMIT 1').then(() => {}))
    const narrow = { databaseUrl: url.replace('gatehouse@', 'narrow@'), dataDir: '' }
    const [first, patient] = await Promise.all([openDatabase(narrow), openDatabase({ ...narrow, ...LONG_WAIT })])
    await first.query('SELECT 1')
    await withEnoughTime(250, async (connectionWaitMs) => {
      const impatient = await openDatabase({ ...narrow, connectionWaitMs })
      const refused = (error: Error) => assertUnavailable(error) && /53300/.test(error.message)
      await assert.rejects(impatient.query('SELECT 1'), refused).finally(() => impatient.close())
    })
    const waiting = patient.query('SELECT 1 AS one')
    await first.close()
    assert.deepEqual(await waiting, [{ one: 1 }])
    await patient.close()
  })

  test('two transactions that lock each other out both succeed in the end', async () => {
    await withDatabase(async (db) => {
      await db.query('CREATE TABLE pairs (id TEXT PRIMARY KEY, hits BIGINT NOT NULL)')
      await db.query("INSERT INTO pairs (id, hits) VALUES ('a', 0), ('b', 0)")
      const hit = (id: string) => ({ sql: 'UPDATE pairs SET hits = hits + 1 WHERE id = $1', values: [id] })
      // Long enough for both transactions to hold their first row when they lock the other one.
      const pause = { sql: 'SELECT pg_sleep(0.1)' }
      await Promise.all([db.transaction([hit('a'), pause, hit('b')]), db.transaction([hit('b'), pause, hit('a')])])
      assert.deepEqual(await db.query('SELECT hits FROM pairs'), [{ hits: 2 }, { hits: 2 }])
    })
  })

  test('an error in a statement costs neither the connection nor the next caller', async () => {
    await withDatabase(async (db) => {
      const own = 'SELECT pg_backend_pid() AS pid'
      const before = await db.query(own)
      await assert.rejects(db.query('SELECT nothing'), (error) => !(error instanceof StoreUnavailable))
      await assert.rejects(db.transaction([{ sql: own }, { sql: 'SELECT nothing' }]))
      assert.deepEqual(await db.query(own), before)
    })
  })

  test('a statement of ours that comes again is prepared, and their number is limited', async () => {
    await withDatabase(async (db) => {
      for (let index = 0; index < 150; index++) for (const _ of [1, 2]) await db.query(`SELECT ${index} AS number`)
      const [row] = await db.query<{ count: number }>('SELECT COUNT(*) AS count FROM pg_prepared_statements')
      assert.equal(row!.count, 128)
    })
  })

  test('statements that come once, as those of migrations do, leave the names to those that come again', async () => {
    await withDatabase(async (db) => {
      for (let index = 0; index < 300; index++) await db.query(`SELECT ${index} AS number`)
      assert.deepEqual([await isPrepared(db), await isPrepared(db)], [false, true])
    })
  })

  test('statements that were common once give their names to those that come now', async () => {
    await withDatabase(async (db) => {
      for (let index = 0; index < 150; index++) for (const _ of [1, 2]) await db.query(`SELECT ${index} AS number`)
      assert.deepEqual([await isPrepared(db), await isPrepared(db)], [false, false])
      for (let round = 0; round < 10; round++) await db.transaction(Array(1_000).fill({ sql: "SELECT 'now'" }))
      assert.deepEqual([await isPrepared(db), await isPrepared(db)], [false, true])
    })
  })

  test('a migration may take longer than the limit for statements', async () => {
    await withDatabase(async (db) => {
      const [, limit] = await db.transaction([{ sql: 'SELECT 1' }, { sql: 'SHOW statement_timeout' }])
      const [, none] = await db.transaction([{ sql: 'SELECT 1' }, { sql: 'SHOW statement_timeout' }], {
        unhurried: true,
      })
      assert.deepEqual([limit!.rows, none!.rows], [[{ statement_timeout: '10s' }], [{ statement_timeout: '0' }]])
    })
  })

  test('a database that does not exist is named as the reason, and nothing else', async () => {
    const db = await openDatabase({ databaseUrl: url.replace('/postgres?', '/missing?'), dataDir: '' })
    await assert.rejects(db.query('SELECT 1'), {
      name: 'StoreUnavailable',
      message:
        'The database named in DATABASE_URL does not exist (3D000). Create it, or correct the name after the last slash.',
    })
    await db.close()
  })
})

test('an unreachable server is reported without its address or password', async () => {
  for (const host of ['127.0.0.1:1', 'canary-host.invalid:5432']) {
    const db = await openDatabase({
      databaseUrl: `postgres://canary-user:canary-password@${host}/canary-name`,
      dataDir: '',
    })
    await assert.rejects(db.query('SELECT 1'), assertUnavailable)
    await db.close()
  }
})

test('what is no address of a PostgreSQL server is refused without repeating it', async () => {
  for (const databaseUrl of ['mysql://canary@host/x', 'canary', 'postgres://canary:p#w@host:99999/x'])
    await assert.rejects(openDatabase({ databaseUrl, dataDir: '' }), (error) => {
      assert.match(String(error), /DATABASE_URL has to look like/)
      return !String(error).includes('canary')
    })
})

async function withDatabase(
  body: (db: Database) => Promise<void>,
  options: Omit<DatabaseOptions, 'dataDir'> = LONG_WAIT,
) {
  const db = await openDatabase({ databaseUrl: url, dataDir: '', ...options })
  try {
    await body(db)
  } finally {
    await db.close()
  }
}

/** Whether the statement that asks this is a prepared one itself. */
async function isPrepared(db: Database): Promise<boolean> {
  const sql = "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%FROM pg_prepared_statements%'"
  return (await db.query(sql)).length > 0
}

/** Opens every connection of the pool. */
async function fillPool(db: Database, seconds: number) {
  await Promise.all(Array.from({ length: CONNECTIONS }, () => db.query(`SELECT pg_sleep(${seconds})`)))
}

function twoSleeps(seconds: number) {
  return [{ sql: `SELECT pg_sleep(${seconds})` }, { sql: `SELECT pg_sleep(${seconds})` }]
}

async function untilRunning(db: Database, count: number) {
  const sql = "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(30)'"
  while ((await db.query(sql)).length < count);
}

/** Processes of a server that was killed live on for a moment, and answer. */
async function untilUnavailable(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const failure: unknown = await ask().then(
      () => undefined,
      (error) => error,
    )
    if (failure) return void assertUnavailable(failure)
  }
}

function assertUnavailable(error: unknown): true {
  assert.ok(error instanceof StoreUnavailable, String(error))
  assert.equal(error.cause, undefined)
  assert.doesNotMatch(`${error.message} ${JSON.stringify(error)}`, /canary|127\.0\.0\.1|localhost|\/tmp|:\d{4}/)
  return true
}
