import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { StartState } from './start-state.ts'

const FIRST = { migration: 8, newest: 9, statement: 0, statements: 3 }

test('a migration that takes long is logged with its progress until it ends, and a quick one is not', (t) => {
  const { state, lines, tick } = simulated(t)
  state.migrating(FIRST)
  tick(4_999)
  state.migrated()
  tick(60_000)
  assert.deepEqual(lines, [])

  state.migrating(FIRST)
  tick(4_000)
  state.migrating({ ...FIRST, statement: 2 })
  tick(1_000)
  state.migrating({ migration: 9, newest: 9, statement: 1, statements: 1 })
  tick(5_000)
  tick(1_000)
  state.migrated()
  tick(60_000)
  assert.deepEqual(lines, [
    { ...FIRST, statement: 2, seconds: 5, words: 'the database is being migrated' },
    { migration: 9, newest: 9, statement: 1, statements: 1, seconds: 10, words: 'the database is being migrated' },
    {
      migration: 9,
      newest: 9,
      statement: 1,
      statements: 1,
      seconds: 11,
      words: 'the migration of the database has ended',
    },
  ])
})

test('says what the start waits for, and is open when the store was asked for the first time', (t) => {
  const { state, tick } = simulated(t)
  const seen = () => [state.isOpen, state.reason]
  assert.deepEqual(seen(), [false, 'The database is being opened.'])
  state.migrating(FIRST)
  tick(1_500)
  assert.deepEqual(seen(), [
    false,
    'The database is being migrated for 1 s: migration 8 of 9, waiting for another process.',
  ])
  state.migrating({ ...FIRST, statement: 1 })
  assert.deepEqual(seen(), [false, 'The database is being migrated for 1 s: migration 8 of 9, statement 1 of 3.'])
  state.migrated()
  state.tried(false)
  assert.deepEqual(seen(), [true, 'The database is not reachable.'])
  state.migrating(FIRST)
  assert.equal(state.isOpen, true, 'callers that were served before are still served')
  state.migrated()
  state.opened()
  assert.deepEqual(seen(), [true, 'The start is being completed.'])
})

function simulated(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = 0
  const lines: object[] = []
  const info = (fields: unknown, words?: unknown) => void lines.push({ ...Object(fields), words })
  const state = new StartState({ info }, () => now)
  const tick = (ms: number) => {
    now += ms
    t.mock.timers.tick(ms)
  }
  return { state, lines, tick }
}
