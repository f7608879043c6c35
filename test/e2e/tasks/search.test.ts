import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { failure, status } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

type Reply = {
  id: string
  results: { title: string; url: string; snippet: string; date: null; last_updated: null }[]
  provider: string
  cost: number | null
  error?: { message: string; code: string; type: string }
  detail?: { loc: unknown[]; type: string }[]
}

const PAGE = { url: 'https://peaks.example', title: 'Peaks', content: 'The Alps.' }
const SHOWN = { title: 'Peaks', url: PAGE.url, snippet: 'The Alps.', date: null, last_updated: null }
const BY_TAVILY = { results: [PAGE, { url: 'https://bare.example' }], usage: { credits: 1 } }
const BY_LINKUP = { results: [{ type: 'text', url: PAGE.url, name: 'Peaks', content: 'The Alps.' }] }
const BY_FIRECRAWL = { data: { web: [{ url: PAGE.url, title: 'Peaks', description: 'The Alps.' }] }, creditsUsed: 2 }

describe('search', () => {
  let gateway: GatewayUnderTest
  let fake: FakeProvider
  before(async () => {
    fake = await startFakeProvider({ everyPath: true })
    const rows = ['TAVILY', 'LINKUP', 'FIRECRAWL'].flatMap((name) => [
      [`${name}_BASE_URL`, fake.url],
      [`${name}_API_KEY`, 'key-0123456789'],
    ])
    gateway = await startGateway({ env: Object.fromEntries(rows) })
  })
  beforeEach(() => fake.reset())
  after(async () => {
    await gateway.close()
    await fake.close()
  })

  test('the provider is named in the path or in the body, and the answer is that of Perplexity with a cost', async () => {
    for (const [path, model] of [
      ['/search', 'tavily'],
      ['/search', 'web/search/tavily'],
      ['/search/tavily', undefined],
      ['/search/tavily', 'tavily'],
    ] as const) {
      fake.next(status(200, BY_TAVILY))
      const { code, headers, body } = await search({ query: 'Alps', model }, path)
      assert.equal(code, 200, JSON.stringify(body))
      assert.deepEqual(body, {
        id: headers.get('x-request-id'),
        results: [SHOWN, { title: '', url: 'https://bare.example', snippet: '', date: null, last_updated: null }],
        provider: 'tavily',
        cost: 0.008,
      })
      assert.equal(headers.get('x-gatehouse-cost'), '0.008')
      assert.deepEqual(fake.requests.at(-1)!.body, { max_results: 10, query: 'Alps', include_usage: true })
    }
  })

  test('each provider gets domains and the country in its own words', async () => {
    const query = 'Alps'
    const cases = [
      ['tavily', BY_TAVILY, { search_domain_filter: ['a.example'] }, { include_domains: ['a.example'] }],
      [
        'tavily',
        BY_TAVILY,
        { search_domain_filter: ['-a.example', '-b.example'], country: 'FR' },
        {
          exclude_domains: ['a.example', 'b.example'],
          country: 'france',
        },
      ],
      ['linkup', BY_LINKUP, { search_domain_filter: ['a.example'] }, { includeDomains: ['a.example'] }],
      ['linkup', BY_LINKUP, { search_domain_filter: ['-a.example'] }, { excludeDomains: ['a.example'] }],
      ['firecrawl', BY_FIRECRAWL, { country: 'fr' }, { country: 'FR' }],
    ] as const
    for (const [model, answer, filters, sent] of cases) {
      fake.next(status(200, answer))
      const { code, body } = await search({ query, model, max_results: 3, ...filters })
      assert.equal(code, 200, JSON.stringify(body))
      assert.deepEqual(body.results[0], SHOWN)
      const wire = fake.requests.at(-1)!.body as Record<string, unknown>
      const filtersSent = Object.fromEntries(
        Object.keys(wire)
          .filter((key) => /domain|country/i.test(key))
          .map((key) => [key, wire[key]]),
      )
      assert.deepEqual(filtersSent, sent)
    }
  })

  test('a filter that a provider does not have is refused before it is asked, and a fallback may have it', async () => {
    for (const [model, filters] of [
      ['firecrawl', { search_domain_filter: ['a.example'] }],
      ['firecrawl', { search_domain_filter: ['-a.example'] }],
      ['linkup', { country: 'fr' }],
      ['tavily', { country: 'zz' }],
    ] as const) {
      const { code, body } = await search({ query: 'Alps', model, ...filters })
      assert.deepEqual([code, body.error?.type], [400, 'invalid_request_error'], JSON.stringify(body))
    }
    assert.equal(fake.requests.length, 0)
    fake.next(status(200, BY_TAVILY))
    const { code, body } = await search({ query: 'Alps', model: 'linkup', country: 'fr', fallbacks: ['tavily'] })
    assert.deepEqual([code, body.provider], [200, 'tavily'])
  })

  test('a request that names no provider, two, or mixes a filter is refused with what to do', async () => {
    const none = await search({ query: 'Alps' })
    assert.equal(none.code, 400)
    assert.match(none.body.error!.message, /Providers: .*tavily/)
    const two = await search({ query: 'Alps', model: 'linkup' }, '/search/tavily')
    assert.equal(two.code, 400)
    assert.match(two.body.error!.message, /'tavily'.*'linkup'/)
    for (const wrong of [
      { query: ['Alps', 'Andes'] },
      { query: 'Alps', max_results: 21 },
      { query: 'Alps', recency: 'day' },
      { query: 'Alps', search_domain_filter: ['a.example', '-b.example'] },
      { query: 'Alps', country: 'France' },
    ]) {
      const { code, body } = await search({ model: 'tavily', ...wrong })
      assert.deepEqual([code, body.error?.code], [422, 'validation_error'], JSON.stringify(body))
      assert.ok(body.detail!.length > 0)
    }
    const unknown = await search({ query: 'Alps', model: 'nosuch' })
    assert.deepEqual([unknown.code, unknown.body.error?.code], [404, 'model_not_found'])
    assert.equal(fake.requests.length, 0)
  })

  test("a provider's failure is an error with a status, not an answer that says `fail`", async () => {
    fake.always(failure(429, { message: 'Slow down.' }))
    assert.deepEqual([(await search({ query: 'Alps', model: 'tavily' })).code], [429])
    fake.always(failure(401, { message: 'Who?' }))
    const refused = await search({ query: 'Alps', model: 'tavily' })
    assert.deepEqual([refused.code, refused.body.error?.code], [502, 'upstream_auth'])
    fake.always(failure(500, { message: 'Broken.' }))
    const broken = await search({ query: 'Alps', model: 'tavily' })
    assert.equal(broken.code, 502)
    assert.ok(broken.body.error!.message)
  })

  test('the list has the configured providers, and their prices', async () => {
    const response = await fetch(`${gateway.url}/v3/search/models`, { headers: { authorization: `Bearer ${API_KEY}` } })
    const { data } = (await response.json()) as { data: { id: string; pricing: { price: number } | null }[] }
    assert.deepEqual(data.map(({ id }) => id).toSorted(), ['firecrawl', 'linkup', 'sandbox', 'tavily'])
    assert.equal(data.find(({ id }) => id === 'tavily')?.pricing?.price, 0.008)
  })

  async function search(body: object, path = '/search'): Promise<{ code: number; headers: Headers; body: Reply }> {
    const response = await fetch(`${gateway.url}/v3${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { code: response.status, headers: response.headers, body: (await response.json()) as Reply }
  }
})
