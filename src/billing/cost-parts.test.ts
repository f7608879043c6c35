import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../contract/chat.ts'
import type { Usage } from '../contract/chat-reply.ts'
import { toTokens } from './token-buckets.ts'
import { costPartsOf, reportedCost } from './cost-parts.ts'

const REQUEST: ChatRequest = { model: 'm', messages: [] }
const USAGE: Usage = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000, total_tokens: 2_000_000 }
const PRICE = { price: { input: 2, output: 10 } }

test('billed units count, not counted tokens', () => {
  const usage = { ...USAGE, billed_units: { input_tokens: 500_000, output_tokens: 100_000 } }
  assert.deepEqual(cost(PRICE, usage), {
    cost: 1 + 1,
    basis: { billedInput: 500_000, billedOutput: 100_000 },
    isPartial: false,
  })
})

describe('searches and calls that are paid apart', () => {
  const searched = { ...PRICE, per: { search: 0.01, request: 0.005 } }
  const asking = { ...REQUEST, web_search_options: {} }

  test('are billed by the count that the provider tells', () => {
    for (const reported of [{ web_search_requests: 3 }, { num_search_queries: 3 }])
      assert.deepEqual(cost(searched, { ...USAGE, ...reported }, asking), {
        cost: 12 + 0.03 + 0.005,
        basis: { searches: 3 },
        isPartial: false,
      })
  })

  test('make the cost an estimate where they were asked for and not counted', () => {
    assert.equal(cost(searched, USAGE, asking).isPartial, true)
    assert.equal(cost(searched, USAGE, { ...REQUEST, tools: [{ type: 'web_search_20250305' }] }).isPartial, true)
    assert.equal(cost(searched, USAGE).isPartial, false)
    assert.equal(cost(PRICE, USAGE, asking).isPartial, false)
  })

  test('there were none where the provider counts them and names none', () => {
    const options = { tokens: toTokens(USAGE), usage: USAGE, request: asking, countsSearches: true }
    assert.equal(costPartsOf(searched, options).isPartial, false)
  })
})

test('an unknown price stays unknown', () => {
  assert.equal(cost(undefined, USAGE).cost, null)
  assert.equal(cost({ price: null, per: { request: 1 } }, USAGE).cost, null)
})

describe('what the provider says that it charged', () => {
  const reported: [who: string, usage: Record<string, unknown>, usd: number | null][] = [
    ['OpenRouter', { cost: 0.0012, cost_details: {} }, 0.0012],
    ['Perplexity', { cost: { input_tokens_cost: 0.001, request_cost: 0.005, total_cost: 0.006 } }, 0.006],
    ['xAI', { cost_in_usd_ticks: 37_756_000 }, 0.0037756],
    ['DeepInfra', { estimated_cost: 0.00004 }, 0.00004],
    ['Vercel', { gateway_cost: '0.0017' }, 0.0017],
    ['nobody', {}, null],
    ['nonsense', { cost: 'much', gateway_cost: 'x' }, null],
  ]
  for (const [who, more, usd] of reported) test(who, () => assert.equal(reportedCost({ ...USAGE, ...more }), usd))
})

function cost(entry: Parameters<typeof costPartsOf>[0], usage: Usage, request = REQUEST) {
  return costPartsOf(entry, { tokens: toTokens(usage), usage, request })
}
