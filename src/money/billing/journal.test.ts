import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { closer, storeForAll } from '../../../test/fakes/stores.ts'
import { interruptedStore } from '../../../test/fakes/interrupted-store.ts'
import { temporaryJournal } from '../../../test/fakes/temporary-journal.ts'
import { ledgerLine } from '../../../test/fakes/ledger-line.ts'
import type { Database } from '../../platform/store/database.ts'
import { decodeLine, encodeLine } from './journal-line.ts'
import type { WriteBytes } from './journal-segment.ts'

const db = await storeForAll()
const LINE_BYTES = Buffer.byteLength(encodeLine(line(100)))

test('a line is on disk before the end of its call is reported, and calls that end together share a write', async (t) => {
  let writes = 0
  const write: WriteBytes = (...call) => ++writes && writeSync(...call)
  const { folder, openLedger } = temporaryJournal(closer(t))
  const { ledger } = openLedger(db, { write })
  const calls = Array.from({ length: 20 }, async (_, index) => ledger.record(line(index)))
  await calls[0]
  assert.deepEqual([linesIn(folder).length, writes], [20, 1])
  await ledger.close()
})

test('what a process leaves is taken over by the next one, once, and its files are removed', async (t) => {
  const { folder, openLedger, open } = temporaryJournal(closer(t))
  leave(folder, [0, 1, 2])
  leave(folder, [3, 4])
  const { ledger } = openLedger(db)
  ledger.open()
  await ledger.flush()
  assert.deepEqual(await idsIn(db), ['line-0', 'line-1', 'line-2', 'line-3', 'line-4'])
  assert.deepEqual(readdirSync(folder), [])
  await ledger.close()
  assert.deepEqual(open().sealed(), [])
})

test('lines that the store already has are not counted again', async (t) => {
  const { folder, openLedger } = temporaryJournal(closer(t))
  for (let times = 0; times < 2; times++) {
    leave(folder, [0, 1])
    const { ledger } = openLedger(db)
    ledger.open()
    await ledger.flush()
    await ledger.close()
  }
  assert.deepEqual(await idsIn(db), ['line-0', 'line-1'])
})

test('a line that was cut off is skipped and logged, and so is a damaged one', async (t) => {
  const { folder, log, openLedger } = temporaryJournal(closer(t))
  const file = leave(folder, [0, 1, 2])
  truncateSync(file, statSync(file).size - 10)
  const damaged = leave(folder, [3])
  appendFileSync(damaged, '[7]\nnull\n\0\0\0\n')
  appendFileSync(damaged, encodeLine(line(4)))
  const { ledger } = openLedger(db)
  ledger.open()
  await ledger.flush()
  assert.deepEqual(await idsIn(db), ['line-0', 'line-1', 'line-3', 'line-4'])
  const counts = log.seen('cut off or damaged').map(({ fields }) => fields.damaged)
  assert.deepEqual(counts.sort(), [1, 3])
  await ledger.close()
})

test('the files of a process that lives are left alone, and of several processes one takes over', async (t) => {
  const { folder, log, open } = temporaryJournal(closer(t))
  const living = open()
  living.append([line(0)])
  leave(folder, [1])
  const takers = [open(), open(), open()]
  for (const taker of takers) taker.takeOver()
  assert.deepEqual(
    takers.map(({ bytes }) => bytes > 0),
    [true, false, false],
  )
  assert.equal(log.seen('taken over').length, 1)
  // What a taker has not finished when it ends is there for another one.
  takers[0]!.close()
  takers[1]!.takeOver()
  assert.ok(takers[1]!.bytes > 0)
  assert.equal(living.waiting, 1)
  for (const journal of [living, ...takers]) journal.close()
})

test('a folder that the process may not read does not keep the ledger from working', {
  skip: isRoot() && 'root may read every folder',
}, async (t) => {
  const { folder, log, openLedger, open } = temporaryJournal(closer(t))
  open().append([line(0)])
  chmodSync(folder, 0)
  const { ledger } = openLedger(db)
  ledger.open()
  ledger.record(line(1))
  await ledger.close()
  chmodSync(folder, 0o700)
  assert.deepEqual(await idsIn(db), ['line-1'])
  assert.equal(log.seen('cannot be written').length, 1)
})

test('a file that cannot be read for a while is written later, without a restart', async (t) => {
  const { folder, log, openLedger } = temporaryJournal(closer(t))
  const file = leave(folder, [0, 1])
  const { ledger, journal } = openLedger(db)
  journal.takeOver()
  renameSync(file, `${file}.hidden`)
  await ledger.flush()
  assert.equal(log.seen('cannot be read').length, 1)
  renameSync(`${file}.hidden`, file)
  journal.takeOver()
  await ledger.flush()
  assert.deepEqual([await idsIn(db), readdirSync(folder)], [['line-0', 'line-1'], []])
  await ledger.close()
})

test('at the size limit lines wait in memory; this is logged at once, counted and over when the store is back', async (t) => {
  const { log, openLedger } = temporaryJournal(closer(t))
  const store = interruptedStore(db, { away: true })
  const { ledger } = openLedger(store.db, { maxBytes: 10 * LINE_BYTES })
  for (let index = 100; index < 125; index++) {
    ledger.record(line(index))
    ledger.append()
  }
  const { trouble, refused, waiting, lost } = ledger
  assert.deepEqual({ trouble, refused, waiting, lost }, { trouble: 'full', refused: 15, waiting: 25, lost: 0 })
  assert.equal(log.seen('reached its size limit').length, 1)
  store.away = false
  await ledger.flush()
  ledger.record(line(125))
  await ledger.flush()
  assert.deepEqual([ledger.trouble, ledger.waiting, (await idsIn(store.db)).length], [undefined, 0, 26])
  assert.equal(log.seen('can be written again').length, 1)
  await ledger.close()
})

test('beyond what memory holds, lines are dropped: logged at once and counted', async (t) => {
  const { log, openLedger } = temporaryJournal(closer(t))
  const store = interruptedStore(db, { away: true })
  const { ledger } = openLedger(store.db, { maxBytes: 0, maxUnsavedLines: 50 })
  for (let index = 0; index < 60; index++) ledger.record(line(index))
  ledger.append()
  assert.deepEqual([ledger.lost, ledger.waiting], [10, 50])
  assert.equal(log.seen('are being dropped').length, 1)
  await ledger.flush()
  store.away = false
  await ledger.flush()
  assert.equal((await idsIn(store.db)).length, 50)
  await ledger.close()
})

test('a disk that is full keeps the lines that fit, and the others go straight to the store', async (t) => {
  const { folder, log, openLedger } = temporaryJournal(closer(t))
  const disk = fullDisk({ takes: 2.5 * LINE_BYTES })
  const { ledger } = openLedger(db, { write: disk.write })
  for (let index = 100; index < 105; index++) ledger.record(line(index))
  ledger.append()
  assert.deepEqual(linesIn(folder), ['line-100', 'line-101'])
  assert.deepEqual([ledger.trouble, ledger.refused, ledger.waiting], ['failing', 3, 5])
  assert.match(String(log.seen('cannot be written')[0]!.fields.error), /ENOSPC/)
  await ledger.close()
  assert.deepEqual([(await idsIn(db)).length, ledger.lost, readdirSync(folder).length], [5, 0, 0])
})

test('a full disk, an unavailable store and SIGTERM: what can still be written is written, and the log says what is lost', async (t) => {
  const { folder, log, openLedger } = temporaryJournal(closer(t))
  const disk = fullDisk({ takes: 0 })
  const store = interruptedStore(db, { away: true })
  const { ledger } = openLedger(store.db, { write: disk.write })
  for (let index = 100; index < 105; index++) ledger.record(line(index))
  ledger.append()
  assert.deepEqual([ledger.waiting, linesIn(folder)], [5, []])
  disk.takes = 3.5 * LINE_BYTES
  await ledger.close()
  assert.deepEqual(linesIn(folder), ['line-100', 'line-101', 'line-102'])
  assert.equal(log.seen('ledger lines are lost')[0]!.fields.lines, 2)
  store.away = false
  const next = openLedger(store.db).ledger
  next.open()
  await next.flush()
  assert.equal((await idsIn(store.db)).length, 3)
  await next.close()
})

function line(index: number) {
  return ledgerLine({ id: `line-${index}`, at: 1_000 + index })
}

let left = 0

/** A file of a process that has died. */
function leave(folder: string, indexes: number[]): string {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${randomUUID()}.${++left}.jsonl`)
  appendFileSync(file, indexes.map((index) => encodeLine(line(index))).join(''))
  return file
}

function linesIn(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean))
  return lines.map((line) => decodeLine(line)!.id)
}

async function idsIn(db: Database): Promise<string[]> {
  return (await db.query<{ id: string }>('SELECT id FROM usage ORDER BY at')).map(({ id }) => id)
}

/** A disk that has only this many bytes left. As real ones do, it takes what fits first and fails then. */
function fullDisk(disk: { takes: number }) {
  const write: WriteBytes = (fd, bytes, offset) => {
    const size = Math.min(Math.floor(disk.takes), bytes.length - offset)
    if (size === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    disk.takes -= size
    return writeSync(fd, bytes.subarray(offset, offset + size), 0)
  }
  return Object.assign(disk, { write })
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}
