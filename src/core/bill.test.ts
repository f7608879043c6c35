import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../contract/chat.ts'
import type { Usage } from '../contract/chat-reply.ts'
import { toTokens } from './account.ts'
import { billOf, toldCost } from './bill.ts'

const REQUEST: ChatRequest = { model: 'm', messages: [] }
const USAGE: Usage = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000, total_tokens: 2_000_000 }
const PRICE = { price: { input: 2, output: 10 } }

test('what is billed is paid, not what was counted', () => {
  const usage = { ...USAGE, billed_units: { input_tokens: 500_000, output_tokens: 100_000 } }
  assert.deepEqual(bill(PRICE, usage), {
    cost: 1 + 1,
    basis: { billedInput: 500_000, billedOutput: 100_000 },
    isPartial: false,
  })
})

describe('searches and calls that are paid apart', () => {
  const searched = { ...PRICE, per: { search: 0.01, request: 0.005 } }
  const asking = { ...REQUEST, web_search_options: {} }

  test('are billed by the count that the provider tells', () => {
    for (const told of [{ web_search_requests: 3 }, { num_search_queries: 3 }])
      assert.deepEqual(bill(searched, { ...USAGE, ...told }, asking), {
        cost: 12 + 0.03 + 0.005,
        basis: { searches: 3 },
        isPartial: false,
      })
  })

  test('make the cost an estimate where they were asked for and not counted', () => {
    assert.equal(bill(searched, USAGE, asking).isPartial, true)
    assert.equal(bill(searched, USAGE, { ...REQUEST, tools: [{ type: 'web_search_20250305' }] }).isPartial, true)
    assert.equal(bill(searched, USAGE).isPartial, false)
    assert.equal(bill(PRICE, USAGE, asking).isPartial, false)
  })

  test('there were none where the provider counts them and names none', () => {
    const given = { tokens: toTokens(USAGE), usage: USAGE, request: asking, countsSearches: true }
    assert.equal(billOf(searched, given).isPartial, false)
  })
})

test('an unknown price stays unknown', () => {
  assert.equal(bill(undefined, USAGE).cost, null)
  assert.equal(bill({ price: null, per: { request: 1 } }, USAGE).cost, null)
})

describe('what the provider says that it charged', () => {
  const told: [who: string, usage: Record<string, unknown>, usd: number | null][] = [
    ['OpenRouter', { cost: 0.0012, cost_details: {} }, 0.0012],
    ['Perplexity', { cost: { input_tokens_cost: 0.001, request_cost: 0.005, total_cost: 0.006 } }, 0.006],
    ['xAI', { cost_in_usd_ticks: 37_756_000 }, 0.0037756],
    ['DeepInfra', { estimated_cost: 0.00004 }, 0.00004],
    ['Vercel', { gateway_cost: '0.0017' }, 0.0017],
    ['nobody', {}, null],
    ['nonsense', { cost: 'much', gateway_cost: 'x' }, null],
  ]
  for (const [who, more, usd] of told) test(who, () => assert.equal(toldCost({ ...USAGE, ...more }), usd))
})

function bill(entry: Parameters<typeof billOf>[0], usage: Usage, request = REQUEST) {
  return billOf(entry, { tokens: toTokens(usage), usage, request })
}
