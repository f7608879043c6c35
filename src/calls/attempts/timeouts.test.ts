import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_TIMEOUTS, LAST_FIRST_TOKEN_MS, THINKING_FIRST_TOKEN_MS } from '../../platform/config/timeouts.ts'
import { timeoutsFor } from './timeouts.ts'

const PLAIN = { provider: 'fake', id: 'fake/x', thinks: undefined }

test('without settings, the defaults apply', () => {
  assert.deepEqual(timeoutsFor(PLAIN, DEFAULT_TIMEOUTS, { other: { totalMs: 1 } }), DEFAULT_TIMEOUTS)
})

test('the most specific setting wins, limit by limit', () => {
  const settings = { fake: { totalMs: 2, idleMs: 2 }, 'fake/x': { totalMs: 3 } }
  assert.deepEqual(timeoutsFor(PLAIN, DEFAULT_TIMEOUTS, settings), { ...DEFAULT_TIMEOUTS, totalMs: 3, idleMs: 2 })
})

test('a reasoning model gets longer for its first token, unless the operator sets a limit', () => {
  const thinking = { ...PLAIN, thinks: true }
  assert.equal(timeoutsFor(thinking, DEFAULT_TIMEOUTS, {}).firstTokenMs, THINKING_FIRST_TOKEN_MS)
  assert.equal(timeoutsFor(thinking, { ...DEFAULT_TIMEOUTS, firstTokenMs: 90_000 }, {}).firstTokenMs, 90_000)
  assert.equal(timeoutsFor(thinking, DEFAULT_TIMEOUTS, { fake: { firstTokenMs: 5 } }).firstTokenMs, 5)
})

test('only a model that is known not to reason has a limit when it is the last one, and settings replace it', () => {
  const last = (thinks: boolean | undefined, settings = {}) =>
    timeoutsFor({ ...PLAIN, thinks }, DEFAULT_TIMEOUTS, settings).lastFirstTokenMs
  assert.deepEqual([last(false), last(true), last(undefined)], [LAST_FIRST_TOKEN_MS, undefined, undefined])
  assert.equal(last(false, { fake: { headersMs: 200_000 } }), undefined)
  assert.equal(last(false, { 'fake/x': { headersMs: 5 } }), undefined)
  assert.equal(last(false, { fake: { idleMs: 5 } }), LAST_FIRST_TOKEN_MS)
})
