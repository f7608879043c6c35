import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taskWorstCase } from './task-worst-case.ts'

const NANOS = 1_000_000_000

/** What a task costs at most at a provider where each unit costs a dollar. */
function mostUnits(feature: object, input: object, params: Record<string, unknown> = {}, files = {}): number {
  const target = { doer: { kind: 'adapter' }, price: { price: 1, per: 1 }, provider: {}, feature } as never
  return taskWorstCase(target, { input, params, files }).usd! / NANOS
}

function web(subfeature: string) {
  return { feature: 'web', subfeature, unit: 'token' }
}

test('a site is read as far as the provider goes, and further only if the caller asks for it', () => {
  const site = { url: 'https://example.com' }
  assert.equal(mostUnits(web('crawl_async'), site), 400)
  assert.equal(mostUnits(web('crawl_async'), site, { limit: 10_000 }), 40_000)
  assert.equal(mostUnits(web('crawl_async'), site, { limit: '10000' }), 40_000)
})

test('tasks of the web take more than a unit for each address', () => {
  assert.equal(mostUnits(web('batch_scrape_async'), { urls: ['https://a.example', 'https://b.example'] }), 8)
  assert.equal(mostUnits(web('structured_extraction_async'), { urls: ['https://a.example/*'] }), 60_000)
  assert.equal(mostUnits(web('research_async'), { prompt: 'Why?' }), 250)
  assert.equal(mostUnits(web('search'), { query: 'a', max_results: 20 }), 80)
})

test('numbers that only the provider reads count as those of the input do', () => {
  const images = { feature: 'image', subfeature: 'generation', unit: 'image' }
  assert.equal(mostUnits(images, { text: 'A door' }), 1)
  assert.equal(mostUnits(images, { text: 'A door' }, { n: 8 }), 8)
})

test('a chat model that does a task writes as much, and in the tier, that the caller asks for', () => {
  const entry = { price: { input: 1, output: 2 }, output: 1_000 }
  const target = { doer: { kind: 'llm', chat: { entry } }, provider: {}, feature: {} } as never
  const worst = (params: Record<string, unknown>) => taskWorstCase(target, { input: {}, params, files: {} })
  assert.equal(worst({}).outputTokens, 2_000)
  assert.equal(worst({ max_tokens: 50_000 }).outputTokens, 100_000)
  assert.equal(worst({ service_tier: 'priority' }).usd, null)
})

test('every picture of an image file may be billed as a page', () => {
  const ocr = { feature: 'ocr', subfeature: 'ocr', unit: 'page' }
  const file = { type: 'image/tiff', size: 100_000, pages: null, mostPages: 300 }
  assert.equal(mostUnits(ocr, {}, {}, { file }), 300)
  assert.equal(mostUnits(ocr, {}, {}, { file: { ...file, mostPages: undefined } }), 1)
})

test('a recording is as long as its codec allows', () => {
  const listening = { feature: 'audio', subfeature: 'speech_to_text_async', unit: 'second' }
  const opus = { type: 'audio/opus', size: 45_000, pages: null }
  assert.ok(mostUnits(listening, {}, {}, { file: opus }) >= 60)
  assert.equal(mostUnits(listening, {}, {}, { file: { ...opus, mostSeconds: 2 } }), 2)
  assert.equal(mostUnits(listening, {}, {}, { file: { ...opus, type: 'video/mp4', size: 480_000 } }), 60)
})

test('a chat model that does a task reads pictures by their size, and of documents as much as it can', () => {
  const entry = { price: { input: 1, output: 2 }, output: 1_000, context: 300_000 }
  const target = { doer: { kind: 'llm', chat: { entry } }, provider: {}, feature: {} } as never
  const tokens = (file: object) =>
    taskWorstCase(target, { input: {}, params: {}, files: { file } as never }).inputTokens
  const around = tokens({ type: 'text/plain', size: 0 })
  assert.equal(tokens({ type: 'text/plain', size: 500 }) - around, 1_000)
  assert.equal(tokens({ type: 'application/pdf', size: 500 }) - around, 600_000)
  assert.equal(tokens({ type: 'image/png', size: 500 }) - around, 80_000)
  assert.equal(tokens({ type: 'image/tiff', size: 500, mostPages: 3 }) - around, 240_000)
})

test('parameters for the provider alone are read and drawn by models, too', () => {
  const entry = { price: { input: 1, output: 2 }, output: 1_000, perImage: [{ usd: 1 }] }
  const models = { chat: { entry }, embedder: { entry }, drawer: { entry } }
  const worst = (kind: string, params: Record<string, unknown>) =>
    taskWorstCase({ doer: { kind, ...models }, provider: {}, feature: {} } as never, { input: {}, params, files: {} })
  const instruction = 'x'.repeat(5_000)
  for (const kind of ['llm', 'embeddings', 'images'])
    assert.ok(worst(kind, { instruction }).inputTokens - worst(kind, {}).inputTokens >= instruction.length, kind)
  assert.equal(worst('images', { num_outputs: 4 }).usd, 4 * NANOS)
})
