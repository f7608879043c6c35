import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { sample } from '../../../test/soak/sample.ts'
import { type Database, StoreDamaged, StoreUnavailable } from './database.ts'
import { openDatabase } from './open-database.ts'
import { MIGRATIONS } from './migrations.ts'
import { HOUR_MS } from '../../base/units/units.ts'

const ACKNOWLEDGED_BEFORE_KILL = 300
const PAGE_BYTES = 4_096
const CREATE = 'CREATE TABLE IF NOT EXISTS things (id TEXT PRIMARY KEY)'
const INSERT = 'INSERT INTO things (id) VALUES ($1)'

test('every row that a process has reported as stored outlives its SIGKILL', async (t) => {
  const dataDir = await newFolder(t)
  const child = runChild(
    dataDir,
    `await db.query(${JSON.stringify(CREATE)})
     let next = 0
     const write = async (id) => { await db.query(${JSON.stringify(INSERT)}, [id]); process.stdout.write(id + '\\n'); return write(String(next++)) }
     await Promise.all(Array.from({ length: 20 }, () => write(String(next++))))`,
  )
  const acknowledged: string[] = []
  for await (const line of createInterface(child.stdout!)) {
    acknowledged.push(line)
    if (acknowledged.length === ACKNOWLEDGED_BEFORE_KILL) child.kill('SIGKILL')
  }
  const db = await opened(t, dataDir)
  const stored = new Set((await db.query<{ id: string }>('SELECT id FROM things')).map(({ id }) => id))
  assert.ok(acknowledged.length >= ACKNOWLEDGED_BEFORE_KILL)
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  )
})

test('what is reported as stored is on the disk, not only on its way: also the power may fail', async (t) => {
  const db = await opened(t, await newFolder(t))
  const settings = await db.query('SELECT journal_mode, synchronous FROM pragma_journal_mode, pragma_synchronous')
  const FULL = 2
  assert.deepEqual(settings, [{ journal_mode: 'wal', synchronous: FULL }])
})

test('the thread of reports ends when there are none for a while, and starts again with the next one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const db = await opened(t, await newFolder(t))
  const [first, second] = [Promise.withResolvers<Worker>(), Promise.withResolvers<Worker>()]
  process.once('worker', first.resolve)
  assert.equal((await db.report('SELECT 1 AS one')).length, 1)
  const ended = once(await first.promise, 'exit')
  process.once('worker', second.resolve)
  t.mock.timers.tick(HOUR_MS)
  await ended
  assert.equal((await db.report('SELECT 1 AS one')).length, 1)
  assert.notEqual(await second.promise, await first.promise)
  // The thread that writes stays.
  assert.deepEqual(await db.query('SELECT 2 AS two'), [{ two: 2 }])
})

test('a report that takes long holds up no other call, and is not held up by one', async (t) => {
  const db = await opened(t, await newFolder(t))
  await db.query('CREATE TABLE things (id BIGINT)')
  const counting = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)'
  const order: string[] = []
  const report = db.report(`SELECT * FROM (${counting} SELECT COUNT(*) FROM n)`).then(() => order.push('report'))
  await db.query('INSERT INTO things (id) VALUES (1)').then(() => order.push('insertion'))
  await report
  const filling = db.query(`INSERT INTO things (id) ${counting} SELECT i FROM n`).then(() => order.push('filling'))
  await db.report('SELECT COUNT(*) FROM things').then(() => order.push('count'))
  await filling
  assert.deepEqual(order, ['insertion', 'report', 'count', 'filling'])
  await assert.rejects(db.report('DELETE FROM things'))
})

/** A process costs half a second. */
const PROCESSES = sample(4, 8)

test(`${PROCESSES} processes can start on one empty folder at once, and none is refused`, async (t) => {
  const dataDir = await newFolder(t)
  const script = `const { migrate } = await import(${JSON.stringify(new URL('./migrations.ts', import.meta.url).href)})
    process.stdout.write(JSON.stringify((await migrate(db)).applied)); await db.close()`
  const children = Array.from({ length: PROCESSES }, () => runChild(dataDir, script))
  const endings = await Promise.all(children.map(ending))
  assert.deepEqual(
    endings.map(({ code }) => code),
    Array(PROCESSES).fill(0),
  )
  assert.deepEqual(
    endings.flatMap(({ output }) => JSON.parse(output) as number[]).sort((one, other) => one - other),
    MIGRATIONS.map(({ number }) => number),
  )
})

test('an idle database lets its process end, an unanswered call does not', async (t) => {
  const child = runChild(
    await newFolder(t),
    `await db.query('SELECT 1')
     db.query('SELECT 7 AS seven').then((rows) => process.stdout.write(JSON.stringify(rows)))`,
  )
  assert.deepEqual(await ending(child), { code: 0, output: '[{"seven":7}]' })
})

test('a crash of the worker fails the calls that wait for it, and the next call finds a new one', async (t) => {
  const starts: Worker[] = []
  const note = (worker: Worker) => starts.push(worker)
  process.on('worker', note)
  t.after(() => process.off('worker', note))
  const db = await opened(t, await newFolder(t))
  await db.query(CREATE)
  starts[0]!.postMessage('no batch: the worker throws')
  for (const outcome of await Promise.allSettled([db.query(INSERT, ['a']), db.query(INSERT, ['b'])]))
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailable)
  await db.query(INSERT, ['c'])
  assert.deepEqual(await db.query('SELECT id FROM things'), [{ id: 'c' }])
  assert.equal(starts.length, 2)
})

test('a full disk is the store being unavailable, loses nothing, and passes without a restart', async (t) => {
  const db = await opened(t, await newFolder(t))
  await db.query(CREATE)
  await db.query(INSERT, ['before'])
  await db.query('PRAGMA max_page_count = 10')
  const large = (letter: string) => letter.repeat(100_000)
  const outcomes = await Promise.allSettled([db.query(INSERT, ['small']), db.query(INSERT, [large('x')])])
  for (const outcome of outcomes.slice(1))
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailable)
  const kept = outcomes[0]!.status === 'fulfilled' ? ['before', 'small'] : ['before']
  assert.deepEqual(
    await db.query('SELECT id FROM things ORDER BY id'),
    kept.map((id) => ({ id })),
  )
  await db.query('PRAGMA max_page_count = 100000')
  await db.query(INSERT, [large('y')])
})

test('a write waits for another process that holds the lock, the reads that came with it do not', async (t) => {
  const dataDir = await newFolder(t)
  const db = await opened(t, dataDir)
  await db.query(CREATE)
  const other = new DatabaseSync(join(dataDir, 'gatehouse.db'))
  t.after(() => other.close())
  other.exec("BEGIN IMMEDIATE; INSERT INTO things (id) VALUES ('theirs')")
  assert.deepEqual(await db.query('SELECT id FROM things'), [])
  const write = db.query(INSERT, ['ours'])
  const read = db.query('SELECT id FROM things')
  assert.deepEqual(await read, [])
  other.exec('COMMIT')
  await write
  assert.equal((await db.query('SELECT id FROM things')).length, 2)
})

test('more different statements than are remembered do no harm', async (t) => {
  const db = await opened(t, await newFolder(t))
  const texts = Array.from({ length: 600 }, (_, index) => `SELECT ${index} AS number`)
  for (const round of [texts, texts.toReversed()]) {
    const answers = await Promise.all(round.map((sql) => db.query<{ number: number }>(sql)))
    assert.deepEqual(
      answers.map(([row]) => `SELECT ${row!.number} AS number`),
      round,
    )
  }
})

test('the database is readable for its owner only', async (t) => {
  const dataDir = join(await newFolder(t), 'data')
  const db = await opened(t, dataDir)
  await db.query(CREATE)
  const modes = ['', 'gatehouse.db', 'gatehouse.db-wal'].map(
    async (name) => (await stat(join(dataDir, name))).mode & 0o777,
  )
  assert.deepEqual(await Promise.all(modes), [0o700, 0o600, 0o600])
})

test('a data folder that cannot be one is refused in a sentence', async (t) => {
  const path = join(await newFolder(t), 'file')
  await writeFile(path, '')
  await assert.rejects(openDatabase({ dataDir: path }), (error) => {
    assert.ok(error instanceof StoreUnavailable)
    assert.match(error.message, /^The data folder cannot be written \(EEXIST\): see DATA_DIR\.$/)
    return true
  })
})

test('a file that is no database, or no longer one, is named with what to do', async (t) => {
  const dataDir = await newFolder(t)
  const path = join(dataDir, 'gatehouse.db')
  const garbage = 'no database at all, but long enough to look like one'.repeat(100)
  await writeFile(path, garbage)
  const named = (words: RegExp) => (error: Error) =>
    error instanceof StoreDamaged && error.message.includes(path) && words.test(error.message)
  await assert.rejects(
    openDatabase({ dataDir }),
    named(/\(file is not a database\): restore it from a backup, or move/),
  )
  await rm(path)
  const whole = await openDatabase({ dataDir })
  await whole.query(CREATE)
  await whole.close()
  const file = await open(path, 'r+')
  await file.write(garbage, PAGE_BYTES)
  await file.close()
  const db = await opened(t, dataDir)
  await assert.rejects(db.query('SELECT id FROM things'), named(/malformed\): restore it/))
})

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-sqlite-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

async function opened(t: TestContext, dataDir: string): Promise<Database> {
  const db = await openDatabase({ dataDir })
  t.after(() => db.close())
  return db
}

function runChild(dataDir: string, script: string): ChildProcess {
  const source = `import { openDatabase } from ${JSON.stringify(new URL('./open-database.ts', import.meta.url).href)}
    const db = await openDatabase({ dataDir: ${JSON.stringify(dataDir)} })
    ${script}`
  return spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function ending(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  const exit = once(child, 'exit')
  let output = ''
  for await (const piece of child.stdout!) output += piece
  const [code] = await exit
  return { code, output }
}
