import assert from 'node:assert/strict'
import { closeSync, mkdirSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { interruptedStore } from '../../../test/fakes/interrupted-store.ts'
import { ledgerLine } from '../../../test/fakes/ledger-line.ts'
import { closer, storeForAll } from '../../../test/fakes/stores.ts'
import { temporaryJournal } from '../../../test/fakes/temporary-journal.ts'
import type { WriteBytes } from './journal-segment.ts'

const db = await storeForAll()

test('a flush ends although calls go on ending, and lines that come meanwhile are inserted together', async (t) => {
  const { openLedger } = temporaryJournal(closer(t))
  const store = interruptedStore(db)
  const { ledger } = openLedger(store.db)
  store.meanwhile = () => store.writes < 20 && ledger.record(line(100 + store.writes))
  ledger.record(line(100))
  await ledger.flush()
  assert.deepEqual([store.writes, ledger.waiting], [1, 1])
  for (let index = 200; index < 220; index++) {
    ledger.record(line(index))
    ledger.append()
  }
  await ledger.flush()
  assert.deepEqual([store.writes, ledger.waiting], [2, 1])
  await ledger.close()
})

test('however many lines wait while the store is slow, they are inserted together', async (t) => {
  const { openLedger } = temporaryJournal(closer(t))
  const store = interruptedStore(db)
  const { ledger } = openLedger(store.db)
  store.meanwhile = () => {
    for (let index = 101; store.writes === 1 && index < 5_150; index++) {
      ledger.record(line(index))
      ledger.append()
    }
  }
  ledger.record(line(100))
  await ledger.flush()
  await ledger.flush()
  assert.equal(ledger.waiting, 0)
  // A file of the journal is inserted at once, and has up to a megabyte.
  assert.ok(store.writes <= 4, `${store.writes} batches`)
  await ledger.close()
})

test('a flush that begins while another one runs waits for the lines that it has seen', async (t) => {
  const { openLedger } = temporaryJournal(closer(t))
  const store = interruptedStore(db)
  const { ledger } = openLedger(store.db)
  let second: Promise<number> | undefined
  store.meanwhile = () => {
    if (second) return
    ledger.record(line(101))
    second = ledger.flush().then(linesIn)
  }
  ledger.record(line(100))
  await ledger.flush()
  assert.equal(await second, 2)
  await ledger.close()
})

test('an outage leaves few files, and the flush after it writes all of them', async (t) => {
  const { folder, openLedger } = temporaryJournal(closer(t))
  const store = interruptedStore(db, { away: true })
  const { ledger } = openLedger(store.db)
  for (let index = 100; index < 120; index++) {
    ledger.record(line(index))
    await ledger.flush()
  }
  assert.equal(readdirSync(folder).filter((name) => name.endsWith('.jsonl')).length, 2)
  store.away = false
  await ledger.flush()
  assert.deepEqual([await linesIn(), ledger.waiting], [20, 0])
  await ledger.close()
})

test('flushes that begin while one runs do not make it longer, and share the next write', async (t) => {
  const { openLedger } = temporaryJournal(closer(t))
  const store = interruptedStore(db)
  const { ledger } = openLedger(store.db)
  const later: Promise<void>[] = []
  store.meanwhile = () => {
    for (let index = 1; store.writes === 1 && index <= 5; index++) {
      ledger.record(line(index))
      later.push(ledger.flush())
    }
  }
  ledger.record(line(0))
  await ledger.flush()
  assert.ok(store.writes <= 2, `${store.writes} writes`)
  await Promise.all(later)
  assert.deepEqual([store.writes, await linesIn()], [2, 6])
  await ledger.close()
})

test('a flush ends although the journal refuses the lines of calls that go on ending', async (t) => {
  const { openLedger } = temporaryJournal(closer(t))
  const store = interruptedStore(db)
  const { ledger } = openLedger(store.db, { maxBytes: 0 })
  store.meanwhile = () => store.writes < 20 && ledger.record(line(100 + store.writes))
  ledger.record(line(100))
  await ledger.flush()
  assert.deepEqual([store.writes, ledger.waiting], [1, 1])
  await ledger.close()
})

test('lines do not wait for ever if the one file that the store refused in an outage cannot be read any more', async (t) => {
  const { folder, openLedger } = temporaryJournal(closer(t))
  const store = interruptedStore(db, { away: true })
  const { ledger } = openLedger(store.db)
  // So many that they are not kept in memory.
  for (let index = 0; index < 10_001; index++) ledger.record(line(index))
  await ledger.flush()
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  await ledger.flush()
  store.away = false
  ledger.record(line(20_000))
  await ledger.flush()
  assert.equal(await linesIn(), 1)
  await ledger.close()
})

test('a file or a lock that cannot be removed is logged, and the next lines are written all the same', async (t) => {
  const { folder, log, openLedger } = temporaryJournal(closer(t))
  const { ledger } = openLedger(db)
  ledger.record(line(1))
  ledger.append()
  // Folders in their place: `rm` refuses them for every user, as it refuses files of a disk that has become read-only.
  const [file, lock] = readdirSync(folder).sort()
  putFolder(join(folder, file!))
  await ledger.flush()
  ledger.record(line(2))
  await ledger.flush()
  assert.deepEqual([await linesIn(), ledger.waiting, log.seen('cannot be removed').length], [2, 0, 1])
  rmSync(join(folder, file!), { recursive: true })
  putFolder(join(folder, lock!))
  await ledger.close()
  assert.equal(log.seen('cannot be closed').length, 1)
})

test('a file that cannot be closed is logged, and its lines are written all the same', async (t) => {
  const { log, openLedger } = temporaryJournal(closer(t))
  const files: number[] = []
  const write: WriteBytes = (fd, ...call) => files.push(fd) && writeSync(fd, ...call)
  const { ledger } = openLedger(db, { write })
  ledger.record(line(1))
  ledger.append()
  closeSync(files[0]!)
  await ledger.flush()
  assert.deepEqual([await linesIn(), ledger.waiting, log.seen('cannot be closed').length], [1, 0, 1])
  await ledger.close()
})

test('an empty file that cannot be removed does not keep lines from the store', async (t) => {
  const { folder, log, openLedger } = temporaryJournal(closer(t))
  const write: WriteBytes = () => {
    throw new Error('ENOSPC: no space left on device, write')
  }
  const { ledger } = openLedger(db, { write })
  ledger.record(line(1))
  ledger.append()
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith('.jsonl'))!)
  putFolder(file)
  await ledger.flush()
  assert.deepEqual([await linesIn(), ledger.waiting, log.seen('cannot be closed').length], [1, 0, 1])
  rmSync(file, { recursive: true })
  await ledger.close()
})

function putFolder(path: string): void {
  rmSync(path)
  mkdirSync(path)
}

function line(index: number) {
  return ledgerLine({ id: `line-${index}`, at: 1_000 + index })
}

async function linesIn(): Promise<number> {
  return (await db.query<{ lines: number }>('SELECT COUNT(*) AS lines FROM usage'))[0]!.lines
}
