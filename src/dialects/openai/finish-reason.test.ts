import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endingIn } from './finish-reason.ts'
import { soundUsage } from './sound-usage.ts'

const HOSTILE = JSON.parse('{"toString":1,"valueOf":1}')

test('an object as the reason for the end, or as a count, is read without surprise', () => {
  assert.ok(endingIn(HOSTILE))
  const usage = { prompt_tokens: HOSTILE, prompt_tokens_details: { cached_tokens: 5 } }
  soundUsage(usage as never)
  assert.deepEqual(usage, { prompt_tokens: Number.NaN, prompt_tokens_details: { cached_tokens: 5 } })
})
