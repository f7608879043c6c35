import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Price } from '../../platform/catalog/catalog.ts'
import type { BatchApi } from '../../platform/providers/provider.ts'
import { atBatchPrice } from './batch-price.ts'

const HALF: BatchApi = { wire: 'openai', endpoints: ['/chat/completions'], factor: 0.5, source: 'https://example.com' }
const PRICE: Price = {
  input: 2,
  output: 8,
  cacheRead: 0.5,
  tiers: [{ above: 100, input: 4, output: 16, cacheRead: 1 }],
  serviceTiers: { priority: { input: 20, output: 80 } },
}

test('every token costs a part of its price, in every step', () => {
  assert.deepEqual(atBatchPrice({ price: PRICE }, HALF)?.price, {
    input: 1,
    output: 4,
    cacheRead: 0.25,
    tiers: [{ above: 100, input: 2, output: 8, cacheRead: 0.5 }],
  })
})

test('where the provider says so, tokens of a cache cost as much as usual', () => {
  const price = atBatchPrice({ price: PRICE }, { ...HALF, keepsCachePrice: true })?.price
  assert.deepEqual([price?.input, price?.cacheRead, price?.tiers?.[0]?.cacheRead], [1, 0.5, 1])
})

test('a price of batches in the catalog counts, and without any price there is none', () => {
  const batch = { input: 0.3, output: 0.4 }
  assert.deepEqual(atBatchPrice({ price: { ...PRICE, serviceTiers: { batch } } }, HALF)?.price, batch)
  assert.equal(atBatchPrice({ price: null }, HALF), undefined)
})
