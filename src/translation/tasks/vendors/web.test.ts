import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingOf, taskOf, toolsAnswering } from '../http/fixtures/recording.ts'
import { listAt, valueAt } from '../results/loose-fields.ts'
import crawl from '../web/crawl_async/firecrawl.ts'
import { failureOfAdapter, jsonOf, linesOf, runAdapter, refusalAnswer } from './fixtures/run-adapter.ts'

const URL_INPUT = { url: 'https://example.com' }
const PROMPT = { prompt: 'How high?', schema: { type: 'object' }, reasoning_depth: 'pro' }

test('search: each provider has its own words for a question', async () => {
  const input = { query: 'Alps', max_results: 3, depth: 'deep' }
  const params = { include_answer: true }
  const firecrawl = await runAdapter('web/search/firecrawl', input)
  assert.deepEqual(
    [linesOf(firecrawl.requests), jsonOf(firecrawl.requests)],
    [['POST /search'], { limit: 3, query: 'Alps' }],
  )
  assert.deepEqual([listAt(firecrawl.output, 'results').length, firecrawl.units], [2, 2])
  const tavily = await runAdapter('web/search/tavily', input, { params })
  const options = { search_depth: 'deep', max_results: 3, include_answer: true, query: 'Alps', include_usage: true }
  assert.deepEqual([linesOf(tavily.requests), jsonOf(tavily.requests)], [['POST /search'], options])
  assert.deepEqual([valueAt(tavily.output, 'answer'), tavily.units], ['Mont Blanc.', 2])
  const linkup = await runAdapter('web/search/linkup', input)
  const request = { depth: 'deep', outputType: 'searchResults', maxResults: 3, q: 'Alps' }
  assert.deepEqual([linesOf(linkup.requests), jsonOf(linkup.requests)], [['POST /search'], request])
  const shallow = await runAdapter('web/search/linkup', { query: 'x' })
  const drawn = await runAdapter('web/scraping/linkup', URL_INPUT, { params: { renderJs: true } })
  assert.deepEqual([linkup.units, shallow.units, drawn.units], [50, 5, 5])
  assert.deepEqual(valueAt(linkup.output, 'images'), [
    { url: 'https://peaks.example/blanc.jpg', description: 'Mont Blanc at dusk' },
  ])
})

test('search: where credits are not told they are reckoned', async () => {
  const web = Array.from({ length: 11 }, (_, index) => ({ url: `https://a.example/${index}` }))
  const { units, output } = await runAdapter(
    'web/search/firecrawl',
    { query: 'x' },
    {},
    refusalAnswer(200, { data: { web } }),
  )
  assert.deepEqual([units, valueAt(output, 'usage')], [4, null])
  const sourced = {
    answer: 'Mont Blanc',
    sources: [{ url: 'https://a.example', name: 'A', snippet: 's', favicon: '' }],
  }
  const params = { outputType: 'sourcedAnswer' }
  const { output: answered } = await runAdapter(
    'web/search/linkup',
    { query: 'x' },
    { params },
    refusalAnswer(200, sourced),
  )
  assert.deepEqual(valueAt(answered, 'sources'), [
    { url: 'https://a.example', title: 'A', snippet: 's', favicon: null },
  ])
})

test('scraping: the page as everybody has it', async () => {
  const firecrawl = await runAdapter('web/scraping/firecrawl', URL_INPUT, { params: { onlyMainContent: true } })
  assert.deepEqual(linesOf(firecrawl.requests), ['POST /scrape'])
  assert.deepEqual(jsonOf(firecrawl.requests), { formats: ['markdown', 'links'], onlyMainContent: true, ...URL_INPUT })
  assert.deepEqual(
    [valueAt(firecrawl.output, 'title'), valueAt(firecrawl.output, 'status_code')],
    ['Example Domain', 200],
  )
  const tavily = await runAdapter('web/scraping/tavily', URL_INPUT)
  const request = { include_favicon: true, urls: ['https://example.com'], include_usage: true }
  assert.deepEqual([linesOf(tavily.requests), jsonOf(tavily.requests)], [['POST /extract'], request])
  assert.equal(valueAt(tavily.output, 'content'), '# Example Domain')
  const linkup = await runAdapter('web/scraping/linkup', URL_INPUT)
  assert.deepEqual([linesOf(linkup.requests), jsonOf(linkup.requests)], [['POST /fetch'], URL_INPUT])
  const lost = { results: [], failed_results: [{ url: 'https://example.com', error: 'Not found' }] }
  const failure = await failureOfAdapter('web/scraping/tavily', URL_INPUT, refusalAnswer(200, lost))
  assert.deepEqual([failure.status, failure.message], [422, 'Not found'])
})

test('firecrawl and tavily list the pages of a site', async () => {
  const firecrawl = await runAdapter('web/map/firecrawl', URL_INPUT, { params: { limit: 5, url: 'free' } })
  assert.deepEqual(
    [linesOf(firecrawl.requests), jsonOf(firecrawl.requests)],
    [['POST /map'], { limit: 5, ...URL_INPUT }],
  )
  assert.deepEqual([valueAt(firecrawl.output, 'links', 1, 'title'), firecrawl.units], ['Contact', 1])
  const tavily = await runAdapter('web/map/tavily', URL_INPUT)
  assert.deepEqual(
    [linesOf(tavily.requests), jsonOf(tavily.requests)],
    [['POST /map'], { ...URL_INPUT, include_usage: true }],
  )
  assert.deepEqual(valueAt(tavily.output, 'links', 0), { url: 'https://example.com/about' })
})

test('crawls: bounded unless the caller says otherwise, and read in all their parts', async () => {
  const { requests, output, units } = await runAdapter('web/crawl_async/firecrawl', URL_INPUT)
  const path = '/crawl/0199aa11-1111-7222-8333-444455556666'
  assert.deepEqual(linesOf(requests), ['POST /crawl', `GET ${path}`, `GET ${path}`, `GET ${path}?skip=1`])
  const scrapeOptions = { formats: ['markdown', 'links'] }
  assert.deepEqual(jsonOf(requests), { limit: 100, scrapeOptions, ...URL_INPUT })
  assert.deepEqual([listAt(output, 'pages').length, units], [2, 2])
  const tavily = await runAdapter('web/crawl_async/tavily', URL_INPUT)
  assert.deepEqual(linesOf(tavily.requests), ['POST /crawl'])
  assert.deepEqual([listAt(tavily.output, 'pages').length, tavily.units], [2, 1])
})

test('crawls: the next part is asked of the provider only', async () => {
  const recording = recordingOf('web/crawl_async/firecrawl') as unknown as { answers: { json: { next?: string } }[] }
  for (const next of [
    'https://evil.test/v1/crawl/x',
    'https://api.provider.test/v2/x',
    'https://api.provider.test/v1',
    '/x',
  ]) {
    const answers = structuredClone(recording.answers)
    answers[2]!.json.next = next
    await assert.rejects(
      runAdapter('web/crawl_async/firecrawl', URL_INPUT, {}, { answers } as never),
      /URL of another host/,
      next,
    )
  }
})

test('crawls: one that is given up here is given up there', async () => {
  const { tools, requests } = toolsAnswering(refusalAnswer(200, { status: 'cancelled' }))
  await crawl.cancel!({ id: 'c-1', url: 'https://example.com' }, tools)
  assert.deepEqual(linesOf(requests), ['DELETE /crawl/c-1'])
  await assert.rejects(async () => await crawl.poll({ id: 'c-1', url: '' }, tools), { status: 422, code: 'cancelled' })
  const bad = toolsAnswering(refusalAnswer(200, { id: '../x' }))
  await assert.rejects(async () => await crawl.start(taskOf(URL_INPUT), bad.tools), { kind: 'garbage' })
})

test('batches: pages that failed are asked for apart', async () => {
  const urls = ['https://example.com/', 'https://example.com/gone']
  const { requests, output, units } = await runAdapter('web/batch_scrape_async/firecrawl', { urls })
  const path = '/batch/scrape/0199bb11-1111-7222-8333-444455556666'
  assert.deepEqual(linesOf(requests), ['POST /batch/scrape', `GET ${path}`, `GET ${path}/errors`])
  assert.deepEqual(jsonOf(requests), { formats: ['markdown', 'links'], ignoreInvalidURLs: true, urls })
  assert.deepEqual(valueAt(output, 'failed_results'), [{ url: urls[1], error: 'not found' }])
  assert.equal(units, 1)
})

test('research: words of each provider for the question, the shape and the depth', async () => {
  const firecrawl = await runAdapter('web/research_async/firecrawl', PROMPT)
  const path = '/agent/0199cc11-1111-7222-8333-444455556666'
  assert.deepEqual(linesOf(firecrawl.requests), ['POST /agent', `GET ${path}`, `GET ${path}`])
  assert.deepEqual(jsonOf(firecrawl.requests), { model: 'pro', prompt: 'How high?', schema: { type: 'object' } })
  assert.deepEqual([valueAt(firecrawl.output, 'data'), firecrawl.units], [{ height_metres: 4805.59 }, 12])
  const tavily = await runAdapter('web/research_async/tavily', PROMPT)
  assert.deepEqual(jsonOf(tavily.requests), { model: 'pro', input: 'How high?', output_schema: { type: 'object' } })
  assert.equal(linesOf(tavily.requests)[1], 'GET /research/123e4567-e89b-12d3-a456-426614174111?include_usage=true')
  assert.deepEqual([valueAt(tavily.output, 'sources', 0, 'title'), tavily.units], ['Mont Blanc survey 2023', 17])
  const linkup = await runAdapter('web/research_async/linkup', { prompt: 'How high?', reasoning_depth: 'S' })
  assert.deepEqual(jsonOf(linkup.requests), { reasoningDepth: 'S', outputType: 'sourcedAnswer', q: 'How high?' })
  assert.match(String(valueAt(linkup.output, 'answer')), /4,805.59/)
  const shaped = await runAdapter('web/research_async/linkup', PROMPT)
  assert.equal(valueAt(jsonOf(shaped.requests), 'structuredOutputSchema'), '{"type":"object"}')
  assert.equal(typeof valueAt(shaped.output, 'data'), 'object')
})

test('extraction: tokens are counted, and addresses are named once', async () => {
  const input = { urls: ['https://shop.example/lamp'], prompt: 'Price' }
  const { requests, output, units } = await runAdapter('web/structured_extraction_async/firecrawl', input)
  assert.deepEqual(jsonOf(requests), { showSources: true, ignoreInvalidURLs: true, ...input })
  assert.deepEqual(valueAt(output, 'sources'), [{ url: 'https://shop.example/lamp' }])
  assert.deepEqual([valueAt(output, 'data'), units], [{ name: 'Desk lamp', price: 39.9 }, 120])
})

test('what was given up is told in the words of the provider, without its address', async () => {
  const error = 'Agent reached its limit at https://api.provider.test/v1/agent'
  const rows: [string, unknown][] = [
    ['web/research_async/firecrawl', { id: 'a', status: 'failed', error }],
    ['web/research_async/linkup', { id: 'a', status: 'failed', error }],
    ['web/research_async/tavily', { request_id: 'a', status: 'failed', error }],
    ['web/structured_extraction_async/firecrawl', { id: 'a', status: 'failed', error }],
    ['web/batch_scrape_async/firecrawl', { id: 'a', status: 'failed', error }],
  ]
  for (const [address, body] of rows) {
    const failure = await failureOfAdapter(address, { ...PROMPT, urls: [] }, refusalAnswer(200, body))
    assert.deepEqual([failure.status, failure.message], [422, 'Agent reached its limit at [address]'], address)
  }
  const spent = await failureOfAdapter(
    'web/search/firecrawl',
    { query: 'x' },
    refusalAnswer(402, { error: 'Insufficient credits' }),
  )
  assert.equal(spent.kind, 'auth')
  const slow = await failureOfAdapter(
    'web/search/tavily',
    { query: 'x' },
    refusalAnswer(429, { detail: {} }, { 'retry-after': '7' }),
  )
  assert.deepEqual([slow.kind, slow.retryAfterSeconds], ['rate_limited', 7])
})
