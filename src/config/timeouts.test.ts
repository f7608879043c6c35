import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from './config-error.ts'
import { readTimeouts } from './timeouts.ts'

test('by provider and by model, any of the five', () => {
  const limits = {
    openai: { connectMs: 1_000 },
    'openai/gpt-4o': { headersMs: 1, firstTokenMs: 2, idleMs: 3, totalMs: 4 },
  }
  assert.deepEqual(readTimeouts(limits, undefined), limits)
  assert.deepEqual(readTimeouts(undefined, limits), limits)
  assert.deepEqual(readTimeouts(undefined, undefined), {})
})

const WRONG: [unknown, RegExp][] = [
  [{ openai: { totalMs: 0 } }, /limits\.openai\.totalMs/],
  [{ openai: { totalMs: 1.5 } }, /limits\.openai\.totalMs/],
  [{ openai: { totalMs: '10s' } }, /limits\.openai\.totalMs/],
  [{ openai: { totalMs: 86_400_001 } }, /limits\.openai\.totalMs/],
  [{ openai: { total: 5 } }, /limits\.openai\.total/],
  [{ openai: 5 }, /limits\.openai/],
  [[], /limits/],
  ['none', /limits/],
  [null, /limits/],
]

for (const [value, place] of WRONG) {
  test(`${JSON.stringify(value)} is refused, and the message says where`, () => {
    assert.throws(() => readTimeouts(undefined, value), matching(place))
    assert.throws(() => readTimeouts(value, undefined), matching(/^timeouts/))
  })
}

test('the old name together with the new one is refused', () => {
  assert.throws(() => readTimeouts({}, {}), matching(/old name of timeouts/))
})

function matching(place: RegExp) {
  return (error: Error) => error instanceof ConfigError && place.test(error.message)
}
