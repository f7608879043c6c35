import assert from 'node:assert/strict'
import { test } from 'node:test'
import { THINKING_FIRST_TOKEN_MS, DEFAULT_LIMITS } from '../config/limits.ts'
import { limitsFor } from './time-limits.ts'

const PLAIN = { provider: 'fake', id: 'fake/x', thinks: false }

test('without settings, the defaults apply', () => {
  assert.deepEqual(limitsFor(PLAIN, DEFAULT_LIMITS, { other: { totalMs: 1 } }), DEFAULT_LIMITS)
})

test('the most specific setting wins, limit by limit', () => {
  const settings = { fake: { totalMs: 2, idleMs: 2 }, 'fake/x': { totalMs: 3 } }
  assert.deepEqual(limitsFor(PLAIN, DEFAULT_LIMITS, settings), { ...DEFAULT_LIMITS, totalMs: 3, idleMs: 2 })
})

test('a reasoning model gets longer for its first token, unless the operator sets a limit', () => {
  const thinking = { ...PLAIN, thinks: true }
  assert.equal(limitsFor(thinking, DEFAULT_LIMITS, {}).firstTokenMs, THINKING_FIRST_TOKEN_MS)
  assert.equal(limitsFor(thinking, { ...DEFAULT_LIMITS, firstTokenMs: 90_000 }, {}).firstTokenMs, 90_000)
  assert.equal(limitsFor(thinking, DEFAULT_LIMITS, { fake: { firstTokenMs: 5 } }).firstTokenMs, 5)
})
