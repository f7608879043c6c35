import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { clockOf } from '../first-tables/clock.ts'
import { type ClockSources, SqliteClock } from './sqlite-clock.ts'
import { HOUR_MS } from '../../../base/units/units.ts'

const NOON = 1_800_000_000_000

/** A machine with its two clocks. */
function machine(bootId: string, machineMs: number, wallMs: number) {
  const at = { machineMs, wallMs }
  const sources: ClockSources = { bootId, machineMs: () => at.machineMs, wallMs: () => at.wallMs }
  const pass = (ms: number) => {
    at.machineMs += ms
    at.wallMs += ms
  }
  return { sources, pass, jump: (ms: number) => (at.wallMs += ms) }
}

function newFile(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  for (const sql of clockOf('sqlite')) database.exec(sql)
  return database
}

function opened(database: DatabaseSync, sources: ClockSources): SqliteClock {
  const clock = new SqliteClock(database, sources)
  clock.agree()
  return clock
}

test('starts near the wall clock and does not follow its jumps', () => {
  const { sources, pass, jump } = machine('a', 5_000, NOON)
  const clock = opened(newFile(), sources)
  assert.equal(clock.steadyMs(), NOON)
  for (const by of [HOUR_MS, -2 * HOUR_MS, HOUR_MS]) {
    jump(by)
    pass(1_000)
    clock.agree()
  }
  assert.equal(clock.steadyMs(), NOON + 3_000)
})

test('a process that starts after a jump counts like those that run already', () => {
  const file = newFile()
  const { sources, pass, jump } = machine('a', 5_000, NOON)
  const one = opened(file, sources)
  pass(60_000)
  jump(HOUR_MS)
  const late = new SqliteClock(file, sources)
  assert.equal(late.steadyMs(), NOON + 60_000)
  late.agree()
  assert.deepEqual([late.steadyMs(), one.steadyMs()], [NOON + 60_000, NOON + 60_000])
})

test('after a start of the machine, the time that it was off has passed', () => {
  const file = newFile()
  const before = machine('a', 90_000, NOON)
  opened(file, before.sources)
  const after = machine('b', 200_000, NOON + 30_000)
  assert.equal(opened(file, after.sources).steadyMs(), NOON + 30_000)
})

test('a wall clock that was wrong before the machine started again does not matter', () => {
  const file = newFile()
  const before = machine('a', 90_000, NOON)
  const clock = opened(file, before.sources)
  before.jump(HOUR_MS)
  before.pass(5_000)
  clock.agree()
  const after = machine('b', 1_000, NOON + HOUR_MS + 25_000)
  assert.equal(opened(file, after.sources).steadyMs(), NOON + 25_000)
})

test('a machine that forgets the time when it is off does not go back', () => {
  const file = newFile()
  opened(file, machine('a', 90_000, NOON).sources)
  const after = machine('b', 1_000, 0)
  const clock = opened(file, after.sources)
  assert.equal(clock.steadyMs(), NOON)
  after.jump(NOON + HOUR_MS)
  after.pass(5_000)
  clock.agree()
  assert.equal(clock.steadyMs(), NOON + 5_000)
})

test('without an id of the run, a clock that went back shows that the machine started again', () => {
  const file = newFile()
  opened(file, machine('', 90_000, NOON).sources)
  assert.equal(opened(file, machine('', 1_000, NOON + 20_000).sources).steadyMs(), NOON + 20_000)
  assert.equal(opened(file, machine('', 2_000, NOON + HOUR_MS).sources).steadyMs(), NOON + 21_000)
})

test('before the migration, writing works and only the steady clock is missing', () => {
  const { sources } = machine('a', 5_000, NOON)
  const clock = new SqliteClock(new DatabaseSync(':memory:'), sources)
  clock.agree()
  assert.throws(() => clock.steadyMs(), /no such table/)
})
