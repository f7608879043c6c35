import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROVIDERS } from '../providers/providers.ts'
import { ConfigError } from './config-error.ts'
import { readTimeouts } from './timeouts.ts'

test('by provider and by model, any of the five', () => {
  const timeouts = {
    openai: { connectMs: 1_000 },
    'openai/gpt-4o': { headersMs: 1, firstTokenMs: 2, idleMs: 3, totalMs: 4 },
  }
  assert.deepEqual(readTimeouts(timeouts, PROVIDERS), timeouts)
  assert.deepEqual(readTimeouts(undefined, PROVIDERS), {})
})

const WRONG: [unknown, RegExp][] = [
  [{ openai: { totalMs: 0 } }, /^timeouts\.openai\.totalMs/],
  [{ openai: { totalMs: 1.5 } }, /^timeouts\.openai\.totalMs/],
  [{ openai: { totalMs: '10s' } }, /^timeouts\.openai\.totalMs/],
  [{ openai: { totalMs: 86_400_001 } }, /^timeouts\.openai\.totalMs/],
  [{ openai: { total: 5 } }, /^timeouts\.openai\.total/],
  [{ openai: 5 }, /^timeouts\.openai/],
  [[], /^timeouts/],
  ['none', /^timeouts/],
  [null, /^timeouts/],
]

for (const [value, place] of WRONG) {
  test(`${JSON.stringify(value)} is refused, and the message says where`, () => {
    assert.throws(() => readTimeouts(value, PROVIDERS), matching(place))
  })
}

function matching(place: RegExp) {
  return (error: Error) => error instanceof ConfigError && place.test(error.message)
}
