import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import { amountFor, type WorstCase } from './worst-case.ts'

test('a rate expects a token for four bytes of the prompt, or the tokens that were counted', () => {
  const limit = { unit: 'tokens', window: 'minute' } as Limit
  const worst: WorstCase = { inputTokens: 4_000, outputTokens: 100, usd: 0, usdPerOutputToken: 0, isChat: true }
  const amounts = [worst, { ...worst, isCounted: true }].map((one) => amountFor(limit, one, 1_000_000))
  assert.deepEqual(amounts, [1_100, 4_100])
})
