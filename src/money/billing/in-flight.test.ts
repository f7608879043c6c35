import assert from 'node:assert/strict'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { interruptedStore } from '../../../test/fakes/interrupted-store.ts'
import { ledgerLine } from '../../../test/fakes/ledger-line.ts'
import { claimOne, newJob, OVER_AT_ONCE_MS, success } from '../../../test/fakes/new-job.ts'
import { closer, storeForAll } from '../../../test/fakes/stores.ts'
import { temporaryJournal } from '../../../test/fakes/temporary-journal.ts'
import type { Database } from '../../platform/store/database.ts'
import { finishJob } from '../../platform/store/jobs/job-runs.ts'
import { submitJob } from '../../platform/store/jobs/jobs.ts'
import type { ForeseenLine } from './foreseen-line.ts'
import { InFlight, type InFlightOptions } from './in-flight.ts'

const db = await storeForAll()

const BEGAN_AT = 1_000_000

test('a call in flight at a kill has a line after the next start: what it can have cost until the last sign of life', async (t) => {
  const { process, recover } = scene(t)
  const { inFlight, clock, kill } = process()
  inFlight.follow('cut', () => growing('cut', { to: 0.5, afterMs: 10_000 })).changed()
  settle(inFlight)
  clock.at += 4_000
  inFlight.showLife()
  clock.at += 60_000
  kill()
  await recover()
  const [line] = await linesIn(db)
  assert.deepEqual(line, {
    id: 'cut',
    at: BEGAN_AT + 4_000,
    code: 'interrupted',
    completion_tokens: 400,
    cost: 200_000_000,
    duration: 4_005,
  })
})

test('what a call owes is never more than at the end of its growth, and a later change replaces what was noted', async (t) => {
  const { process, recover } = scene(t)
  const { inFlight, clock, kill } = process()
  inFlight.follow('long', () => growing('long', { to: 0.5, afterMs: 10_000 })).changed()
  let cost = 0.1
  const changing = inFlight.follow('changing', () => ({ line: interrupted('changing', cost), later: [] }))
  changing.changed()
  settle(inFlight)
  cost = 0.2
  changing.changed()
  settle(inFlight)
  clock.at += 3_600_000
  inFlight.showLife()
  kill()
  await recover()
  const costs = (await linesIn(db)).map(({ id, cost }) => [id, cost])
  assert.deepEqual(Object.fromEntries(costs), { long: 500_000_000, changing: 200_000_000 })
})

test('a call whose own line is in the journal or in the store has no other line, although its end was not noted', async (t) => {
  const { process, recover } = scene(t)
  const { inFlight, ledger, kill } = process()
  for (const id of ['stored', 'journaled', 'cut']) inFlight.follow(id, () => growing(id)).changed()
  settle(inFlight)
  ledger.record(ledgerLine({ id: 'stored', at: BEGAN_AT + 10, cost: 0.7 }))
  await ledger.flush()
  ledger.record(ledgerLine({ id: 'journaled', at: BEGAN_AT + 20, cost: 0.8 }))
  ledger.append()
  kill()
  await recover()
  const found = (await linesIn(db)).map(({ id, code }) => [id, code])
  assert.deepEqual(Object.fromEntries(found), { stored: null, journaled: null, cut: 'interrupted' })
  assert.equal(found.length, 3)
})

test('an execution of a job that has ended its job has no other line; one that was followed by another has', async (t) => {
  const { process, recover } = scene(t)
  const { inFlight, kill } = process()
  await submitJob(db, newJob())
  const first = await claimOne(db, { leaseMs: OVER_AT_ONCE_MS })
  const second = await claimOne(db)
  for (const { id, attempt } of [first, second]) {
    const execution = `${id}.${attempt}`
    inFlight.follow(execution, () => growing(execution)).changed()
  }
  settle(inFlight)
  await finishJob(db, success(second), undefined)
  kill()
  await recover()
  const found = (await linesIn(db)).map(({ id, code }) => [id, code])
  const expected = { [second.id]: null, [`${first.id}.${first.attempt}`]: 'interrupted' }
  assert.deepEqual(Object.fromEntries(found), expected)
})

test('what another execution pays is taken out of the file, and is back when that is no longer so', (t) => {
  const { process } = scene(t)
  const { inFlight, text } = process()
  let hasTicket = false
  const slow = inFlight.follow('slow', () => (hasTicket ? null : growing('slow')))
  const counts = [false, true, false].map((has) => {
    hasTicket = has
    slow.changed()
    settle(inFlight)
    return [inFlight.count, text().trim().split('\n').at(-1) === '"slow"']
  })
  assert.deepEqual(counts, [
    [1, false],
    [0, true],
    [1, false],
  ])
})

test('a call that ends is taken out of the file, and one that is short never gets into it', (t) => {
  const { process, files } = scene(t)
  const { inFlight, text } = process()
  const short = inFlight.follow('short', () => growing('short'))
  short.changed()
  inFlight.round()
  short.ended()
  settle(inFlight)
  assert.deepEqual([inFlight.count, files()], [0, []])
  const longer = inFlight.follow('longer', () => growing('longer'))
  longer.changed()
  settle(inFlight)
  longer.ended()
  settle(inFlight)
  assert.deepEqual([inFlight.count, text().trim().split('\n').at(-1)], [0, '"longer"'])
})

test('a call is noted when its request is written, however long that takes', (t) => {
  const { process } = scene(t)
  const { inFlight } = process()
  let isBegun = false
  inFlight.follow('waiting', () => (isBegun ? growing('waiting') : undefined)).changed()
  for (let rounds = 0; rounds < 5; rounds++) inFlight.round()
  assert.equal(inFlight.count, 0)
  isBegun = true
  inFlight.round()
  inFlight.round()
  assert.equal(inFlight.count, 1)
})

test('the file stays small however many calls pass, and calls that go on stay in it', async (t) => {
  const { process, recover, files } = scene(t)
  const { inFlight, kill } = process({ fileBytes: 20_000 })
  inFlight.follow('lasting', () => growing('lasting')).changed()
  for (let index = 0; index < 500; index++) {
    const call = inFlight.follow(`call-${index}`, () => growing(`call-${index}`))
    call.changed()
    settle(inFlight)
    call.ended()
    assert.equal(files().length, 1)
    assert.ok(statSync(files()[0]!).size < 25_000)
  }
  settle(inFlight)
  kill()
  await recover()
  assert.deepEqual(
    (await linesIn(db)).map(({ id }) => id),
    ['lasting'],
  )
})

test('if the disk refuses an end, there is no file until it takes one again, so no call has two lines', async (t) => {
  const { process, recover, files, log } = scene(t)
  let isFull = false
  const write = (fd: number, bytes: Uint8Array, offset: number) => {
    if (isFull) throw new Error('ENOSPC: no space left on device, write')
    return writeSync(fd, bytes, offset)
  }
  const { inFlight, kill } = process({ write })
  const [ending, lasting] = ['ending', 'lasting'].map((id) => inFlight.follow(id, () => growing(id)))
  ending!.changed()
  lasting!.changed()
  settle(inFlight)
  isFull = true
  ending!.ended()
  settle(inFlight)
  assert.deepEqual([files(), log.seen('cannot be noted').length], [[], 1])
  isFull = false
  settle(inFlight)
  assert.equal(log.seen('are noted again').length, 1)
  kill()
  await recover()
  assert.deepEqual(
    (await linesIn(db)).map(({ id }) => id),
    ['lasting'],
  )
})

test('a folder that takes no files, or keeps one that is to be removed, fails no call', async (t) => {
  const { process, recover, folder, files, log } = scene(t)
  const { inFlight, kill } = process({ fileBytes: 1 })
  const [ending, lasting, later] = ['ending', 'lasting', 'later'].map((id) => inFlight.follow(id, () => growing(id)))
  ending!.changed()
  lasting!.changed()
  settle(inFlight)
  const [first] = files()
  const hidden = `${folder}-elsewhere`
  // The file is too long and cannot be replaced, because the folder is gone.
  renameSync(folder, hidden)
  ending!.ended()
  settle(inFlight)
  assert.deepEqual([inFlight.count, log.seen('cannot be noted').length], [0, 1])
  renameSync(hidden, folder)
  rmSync(first!)
  settle(inFlight)
  assert.deepEqual([inFlight.count, files().length, log.seen('are noted again').length], [1, 1, 1])
  // A folder in place of the file cannot be removed as a file.
  const [second] = files()
  rmSync(second!)
  mkdirSync(second!)
  for (let rounds = 0; rounds < 4 && log.seen('cannot be removed').length === 0; rounds++) {
    later!.changed()
    settle(inFlight)
  }
  assert.deepEqual([inFlight.count, log.seen('cannot be removed').length], [2, 1])
  rmdirSync(second!)
  kill()
  await recover()
  assert.deepEqual(
    (await linesIn(db)).map(({ id }) => id),
    ['lasting', 'later'],
  )
})

test('what a kill has cut off does not hold up the rest', async (t) => {
  const { process, recover, files, log } = scene(t)
  const { inFlight, kill } = process()
  inFlight.follow('whole', () => growing('whole')).changed()
  settle(inFlight)
  kill()
  appendFileSync(files()[0]!, '[[0,["cut off",')
  await recover()
  assert.deepEqual(
    (await linesIn(db)).map(({ id }) => id),
    ['whole'],
  )
  assert.equal(log.seen('cut off or damaged').length, 1)
})

test('a call whose cost cannot be estimated does not keep the others out', (t) => {
  const { process, log } = scene(t)
  const { inFlight } = process()
  inFlight.follow('odd', () => assert.fail('no estimate')).changed()
  inFlight.follow('other', () => growing('other')).changed()
  settle(inFlight)
  assert.deepEqual([inFlight.count, log.seen('cannot be estimated').length], [1, 1])
})

test('while the store is away, the lines of interrupted calls wait, and then each is inserted once', async (t) => {
  const { process, files, openLedger } = scene(t)
  const { inFlight, kill } = process()
  inFlight.follow('cut', () => growing('cut')).changed()
  settle(inFlight)
  kill()
  const store = interruptedStore(db, { away: true })
  const { ledger } = openLedger(store.db)
  ledger.open()
  await ledger.flush()
  assert.equal(files().length, 1)
  store.away = false
  await ledger.flush()
  await ledger.close()
  assert.deepEqual([files(), (await linesIn(db)).map(({ id }) => id)], [[], ['cut']])
})

test('a process that ends in order leaves nothing', async (t) => {
  const { process, folder } = scene(t)
  const { inFlight, ledger } = process()
  const call = inFlight.follow('call', () => growing('call'))
  call.changed()
  settle(inFlight)
  call.ended()
  inFlight.close()
  await ledger.close()
  assert.deepEqual(readdirSync(folder), [])
})

/** A folder in which processes live and die. */
function scene(t: Parameters<typeof closer>[0]) {
  const closing = closer(t)
  const { folder, log, openLedger } = temporaryJournal(closing)
  mkdirSync(folder)
  const files = () => readdirSync(folder).flatMap((name) => (name.endsWith('.in-flight') ? join(folder, name) : []))
  return { folder, log, openLedger, files, process, recover }

  function process(options: Partial<InFlightOptions> = {}) {
    const clock = { at: BEGAN_AT }
    const { ledger, journal } = openLedger(db)
    const inFlight = new InFlight({ newPath: () => journal.newInFlightPath(), now: () => clock.at, log, ...options })
    closing.defer(() => inFlight.close())
    // The kernel drops the lock of a process that dies, and nothing else happens.
    const kill = () => journal.close()
    return { clock, ledger, inFlight, kill, text: () => readFileSync(files()[0]!, 'utf8') }
  }

  /** The next start. */
  async function recover(): Promise<void> {
    const { ledger } = openLedger(db)
    ledger.open()
    await ledger.flush()
    await ledger.close()
    assert.deepEqual(readdirSync(folder), [])
  }
}

/** What changed is written by the round after the next one. */
function settle(inFlight: InFlight): void {
  inFlight.round()
  inFlight.round()
}

function interrupted(id: string, cost: number, completionTokens = 0) {
  return ledgerLine({
    id,
    at: BEGAN_AT,
    code: 'interrupted',
    status: 500,
    cost,
    completionTokens,
    estimated: true,
    durationMs: 5,
  })
}

/** A call that costs nothing at first, and writes 100 tokens a second for ten seconds. */
function growing(id: string, { to = 0.5, afterMs = 10_000 } = {}): ForeseenLine {
  const figures = { ...interrupted(id, to, 1_000), detail: {} }
  return { line: interrupted(id, 0), later: [{ afterMs, figures }] }
}

async function linesIn(store: Database) {
  const columns = 'id, at, code, completion_tokens, cost_nanos AS "cost", duration_ms AS "duration"'
  const rows = await store.query<{ id: string; at: number; code: string | null; cost: number }>(
    `SELECT ${columns} FROM usage ORDER BY id`,
  )
  return rows.map((row) => ({ ...row, at: Number(row.at), cost: Number(row.cost) }))
}
