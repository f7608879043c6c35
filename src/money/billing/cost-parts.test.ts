import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../contract/chat.ts'
import type { Usage } from '../../contract/chat-reply.ts'
import { toTokens } from './token-buckets.ts'
import { costPartsOf, reportedCost } from './cost-parts.ts'

const REQUEST: ChatRequest = { model: 'm', messages: [] }
const USAGE: Usage = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000, total_tokens: 2_000_000 }
const PRICE = { price: { input: 2, output: 10 } }

test('billed units count, not counted tokens', () => {
  const usage = { ...USAGE, billed_units: { input_tokens: 500_000, output_tokens: 100_000 } }
  assert.partialDeepStrictEqual(cost(PRICE, usage), {
    cost: 1 + 1,
    basis: { billedInput: 500_000, billedOutput: 100_000 },
    isPartial: false,
  })
})

test('seconds of recordings are paid beside the tokens, and make the cost unknown where they have no price', () => {
  const heard = { ...USAGE, prompt_audio_seconds: 90 }
  const seconds = cost({ ...PRICE, per: { second: 0.001 } }, heard)
  assert.partialDeepStrictEqual(seconds, { cost: 12 + 0.09, basis: { audioSeconds: 90 }, isPartial: false })
  assert.equal(cost(PRICE, heard).isPartial, true)
  for (const prompt_audio_seconds of [null, 0])
    assert.equal(cost(PRICE, { ...USAGE, prompt_audio_seconds } as Usage).isPartial, false)
})

describe('searches and calls that are paid apart', () => {
  const searched = { ...PRICE, per: { search: 0.01, request: 0.005 } }
  const asking = { ...REQUEST, web_search_options: {} }

  test('are billed by the count that the provider tells', () => {
    for (const reported of [{ web_search_requests: 3 }, { num_search_queries: 3 }])
      assert.partialDeepStrictEqual(cost(searched, { ...USAGE, ...reported }, asking), {
        cost: 12 + 0.03 + 0.005,
        basis: { searches: 3 },
        isPartial: false,
      })
  })

  test('make the cost an estimate where they were asked for and not counted', () => {
    assert.equal(cost(searched, USAGE, asking).isPartial, true)
    assert.equal(cost(searched, USAGE, { ...REQUEST, tools: [{ type: 'web_search_20250305' }] }).isPartial, true)
    assert.equal(cost(searched, USAGE).isPartial, false)
    assert.equal(cost(PRICE, USAGE, asking).isPartial, true)
    const dropped = { tokens: toTokens(USAGE), usage: USAGE, request: asking, dropped: ['web_search_options'] }
    assert.equal(costPartsOf(PRICE, dropped).isPartial, false)
  })

  test('a search without a known fee makes the cost unknown', () => {
    assert.equal(cost(PRICE, { ...USAGE, web_search_requests: 1 } as Usage).isPartial, true)
    assert.equal(cost(PRICE, { ...USAGE, web_search_requests: 0 } as Usage).isPartial, false)
  })

  test('Google charges older models per request that searched', () => {
    const entry = { ...PRICE, per: { searched_request: 0.035 } }
    const searches = (web_search_requests: number) => cost(entry, { ...USAGE, web_search_requests } as Usage).cost
    assert.deepEqual([0, 1, 5].map(searches), [12, 12.035, 12.035])
  })

  test('Perplexity charges per request, by the size of the context that was searched', () => {
    const entry = { ...PRICE, perSearchContext: { low: 0.005, medium: 0.008, high: 0.012 } }
    const used = (search_context_size: unknown) => ({ ...USAGE, search_context_size, num_search_queries: 2 }) as Usage
    assert.deepEqual(
      ['low', 'medium', 'high'].map((size) => cost(entry, used(size)).cost),
      [12.005, 12.008, 12.012],
    )
    const medium = { ...REQUEST, web_search_options: { search_context_size: 'medium' } }
    assert.equal(cost(entry, USAGE, medium).cost, 12.008)
    for (const unknown of [cost(entry, USAGE), cost(entry, used('constructor')), cost(entry, used('huge'))])
      assert.equal(unknown.isPartial, true)
    const inSteps = { ...REQUEST, web_search_options: { search_type: 'pro' } }
    assert.equal(cost(entry, used('low'), inSteps).isPartial, true)
  })

  test('tokens that the totals do not include are billed on top', () => {
    const entry = {
      price: { input: 2, output: 8 },
      per: { search: 0.005, citation_token: 2e-6, reasoning_token: 3e-6 },
    }
    const counts = { prompt_tokens: 33, completion_tokens: 7163, total_tokens: 7196 }
    const more = { citation_tokens: 20_016, num_search_queries: 18, reasoning_tokens: 73_997 }
    assert.equal(cost(entry, { ...counts, ...more } as Usage).cost?.toFixed(4), '0.4094')
    assert.equal(cost(entry, { ...counts, num_search_queries: 1 } as Usage).isPartial, true)
  })

  test('there were none where the provider counts them and names none', () => {
    const options = { tokens: toTokens(USAGE), usage: USAGE, request: asking, countsSearches: true }
    assert.equal(costPartsOf(searched, options).isPartial, false)
  })
})

describe('tools that the provider runs', () => {
  const offered = (tools: object[]) => cost(PRICE, USAGE, { ...REQUEST, tools } as ChatRequest).isPartial

  test('have no known fee, except those that cost nothing', () => {
    for (const type of ['code_execution_20250825', 'file_search', 'browser_search', 'image_generation', 'x_search'])
      assert.equal(offered([{ type }]), true, type)
    for (const tool of [{ googleMaps: {} }, { retrieval: {} }]) assert.equal(offered([tool]), true)
    for (const type of ['function', 'custom', 'web_fetch_20250910', 'advisor_20260301', 'bash_20250124', 'mcp'])
      assert.equal(offered([{ type, name: 'x' }]), false, type)
    assert.equal(offered([{ urlContext: {} }, { googleSearch: {} }, { function: { name: 'f' } }]), false)
  })

  test('do not count if the answer shows that they were not used, or if the provider did not get them', () => {
    const request = { ...REQUEST, tools: [{ type: 'file_search' }] }
    const used = (hosted_tools: string[]) => cost(PRICE, { ...USAGE, hosted_tools } as Usage, request).isPartial
    assert.deepEqual([used([]), used(['file_search']), used(['mcp'])], [false, true, false])
    const options = { tokens: toTokens(USAGE), usage: USAGE, request, dropped: ['tools'] }
    assert.equal(costPartsOf(PRICE, options).isPartial, false)
  })
})

describe('the runs behind an answer', () => {
  const run = (type: string, prompt_tokens: number, model?: string) => {
    return { type, prompt_tokens, completion_tokens: 0, ...(model && { model }) }
  }
  const rows = new Map([
    ['big', { price: { input: 10, output: 50 } }],
    ['small', { price: { input: 1, output: 5 } }],
  ])
  const counts = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 }
  const billed = (iterations: Usage['iterations']) => {
    const usage = { ...counts, iterations }
    const parts = costPartsOf(PRICE, { tokens: toTokens(usage), usage, request: REQUEST, rowOf: (id) => rows.get(id) })
    return [parts.cost, parts.tokens.plainInput]
  }

  test('are billed one by one, at the price of their model', () => {
    assert.deepEqual(billed(undefined), [2, 1_000_000])
    assert.deepEqual(billed([run('compaction', 3_000_000), run('message', 1_000_000)]), [8, 4_000_000])
    const advised = [run('message', 400_000), run('advisor_message', 500_000, 'big'), run('message', 600_000)]
    assert.deepEqual(billed(advised), [7, 1_500_000])
    assert.deepEqual(
      billed([run('message', 1_000_000, 'big'), run('fallback_message', 1_000_000, 'small')]),
      [11, 2_000_000],
    )
  })

  test('a list that does not cover the totals does not lower the cost', () => {
    assert.deepEqual(billed([run('message', 1000)]), [2, 1_000_000])
    assert.deepEqual(billed([run('advisor_message', 500_000, 'big')]), [7, 1_500_000])
  })

  test('an unknown model makes the cost unknown', () => {
    assert.equal(billed([run('message', 1_000_000), run('advisor_message', 1, 'unknown')])[0], null)
  })
})

test('inference in one place costs more, or is unknown', () => {
  const usage = { ...USAGE, inference_geo: 'us' } as Usage
  assert.equal(cost({ ...PRICE, geoFactors: { us: 1.5 } }, usage).cost, 18)
  assert.equal(cost(PRICE, usage).cost, null)
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
    ['a provider without a cost', {}, null],
    ['a mistake', { cost: 1e308, estimated_cost: -1 }, null],
    ['nonsense', { cost: 'much', gateway_cost: 'x' }, null],
  ]
  for (const [who, more, usd] of reported) test(who, () => assert.equal(reportedCost({ ...USAGE, ...more }), usd))
})

function cost(entry: Parameters<typeof costPartsOf>[0], usage: Usage, request = REQUEST) {
  return costPartsOf(entry, { tokens: toTokens(usage), usage, request })
}
