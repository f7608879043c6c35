import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { RequestLine } from '../../src/contract/admin/requests.ts'
import { waveFile } from '../../src/translation/dialects/speech-wires/wave-file.ts'
import { answer, type Behaviour, silence, status } from '../fakes/behaviours.ts'
import { withEnoughTime } from '../fakes/enough-time.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { idle } from '../gateway/gateway-with-fakes.ts'
import type { LimitsGateway } from '../gateway/limits-gateway.ts'
import { BUDGET, demandSettled, leftEarly, rounded, spentOf } from '../gateway/leaving.ts'
import { startSpendingGateway } from '../gateway/spending-gateway.ts'
import { CHAT, isOfPlayground, messages, ROUTES, SPENDING_PROVIDERS } from '../gateway/spending-routes.ts'

// A caller that leaves before its answer is there pays for it all the same, because the provider bills it.

const PROVIDERS = [...SPENDING_PROVIDERS, 'FIRECRAWL', 'BFL']
const POLL_MS = 10
const RATE_HZ = 4_000
const WAVE_HEADER_BYTES = 44

let spending: Awaited<ReturnType<typeof startSpendingGateway>>
let scene: LimitsGateway
before(async () => {
  spending = await startSpendingGateway({
    providers: PROVIDERS,
    config: { prices: { 'openai/omni-moderation-latest': { input: 1, output: 1 } } },
    overrides: { jobGraceMs: 0 },
  })
  scene = spending.scene
  await scene.limit({ budgets: [BUDGET] })
})
beforeEach(() => scene.fake.reset())
after(() => spending.close())

describe('a caller that leaves has spent something:', () => {
  for (const [name, sent] of Object.entries(ROUTES)) {
    const path = name.slice('POST '.length)
    // No provider hears of a call of an MCP server: below.
    if (typeof sent === 'string' || isOfPlayground(path) || path === '/v3/mcp/{server_name}') continue
    for (const [index, { body, path: own = path, isJob, isBatch, isEvents }] of sent.entries()) {
      // Jobs are cancelled below, no caller waits for a batch, and what has no price is refused before it is sent.
      if (isJob || isBatch || isEvents || JSON.stringify(body).includes('image/generation/')) continue
      test(`${name} (${index}) is 499 with an estimated cost`, async () => {
        const [cost, line] = await left(own, body)
        assert.ok(cost > 0, String(cost))
        assert.deepEqual([line.status, line.estimated, line.cost], [499, true, cost])
      })
    }
  }
})

test('a caller that leaves a tool of an MCP server has spent its price', async () => {
  const before = await spentOf(scene)
  const leaving = new AbortController()
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow', arguments: {} } }
  const gone = fetch(`${scene.gateway.url}/v3/mcp/tickets`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(call),
  }).then((reply) => reply.text())
  const left = assert.rejects(gone, { name: 'AbortError' })
  while (spending.tickets.calls().length === 0) await setTimeout(POLL_MS)
  leaving.abort()
  await Promise.all([left, spending.tickets.left])
  await idle(scene.gateway)
  assert.equal(rounded((await spentOf(scene)) - before), 0.01)
  const { items } = (await (await scene.admin('GET', '/admin/requests?limit=1')).json()) as { items: RequestLine[] }
  assert.deepEqual([items[0]!.status, items[0]!.cost, items[0]!.estimated], [499, 0.01, true])
})

const DRAWN = { model: 'openai/gpt-image-1.5', prompt: 'A door', quality: 'low', size: '1024x1024' }
const TRANSLATED = {
  model: 'translation/automatic_translation/deepl',
  input: { text: 'Hello!', target_language: 'fr' },
}
const CRAWLED = { model: 'web/crawl_async/firecrawl', input: { url: 'https://example.com/' } }
const EMBEDDED = { model: 'openai/text-embedding-3-small', input: 'x'.repeat(3_998) }
const SEARCHED = { query: 'Hello!', documents: Array.from({ length: 101 }, () => 'Hi') }
const PER_CHARACTER = { deepl: 0.000025, tts: 0.000015 }
const CREDIT = 0.0038

/** A path, a body, and what its provider bills. */
const ORDERS: Record<string, [path: string, body: object, usd: number]> = {
  'two images of low quality': ['/v3/images/generations', { ...DRAWN, n: 2 }, 0.018],
  'an image by its area': [
    '/v3/images/generations',
    { model: 'bfl/flux-2-pro', prompt: 'A door', size: '1000x1000' },
    0.03,
  ],
  'an image as a task': [
    '/v3/universal-ai',
    { model: 'image/generation/bfl/flux-pro-1.1', input: { text: 'A door', resolution: '1024x1024', num_images: 2 } },
    0.08,
  ],
  'the characters of a speech': [
    '/v3/audio/speech',
    { model: 'openai/tts-1', input: 'Hello!', voice: 'alloy' },
    6 * PER_CHARACTER.tts,
  ],
  'the tokens of a text': ['/v3/embeddings', EMBEDDED, 0.00002],
  'the tokens of texts in a task': [
    '/v3/universal-ai',
    { model: `text/embeddings/${EMBEDDED.model}`, input: { texts: ['x'.repeat(3_996)] } },
    0.00002,
  ],
  'two searches in 101 documents': ['/v3/rerank', { model: 'cohere/rerank-v3.5', ...SEARCHED }, 0.004],
  'ten seconds of a recording': ['/v3/audio/transcriptions', recording(10), 0.001],
  'the characters of a task': ['/v3/universal-ai', TRANSLATED, 6 * PER_CHARACTER.deepl],
  'the credits that were reserved for a page of the web': [
    '/v3/universal-ai',
    { model: 'web/scraping/firecrawl', input: { url: 'https://example.com/' } },
    4 * CREDIT,
  ],
  'the characters for a hook': [
    '/v3/chat/completions',
    {
      model: CHAT,
      messages,
      pre_hooks: [{ action: 'translate', params: { target_language: 'fr', provider: 'deepl' } }],
    },
    6 * PER_CHARACTER.deepl,
  ],
}

for (const [what, [path, body, usd]] of Object.entries(ORDERS))
  test(`a caller that leaves has spent ${what}`, async () => {
    const [cost, line] = await left(path, body)
    assert.deepEqual([cost, line.cost, line.estimated], [rounded(usd), rounded(usd), true])
  })

test('an image that is drawn while its caller leaves is paid, too', async () => {
  const ticket = { id: 'a', polling_url: `${scene.fake.url}/get_result?id=a` }
  const draw: Behaviour = (seen, response) =>
    seen.path.includes('get_result') ? undefined : status(200, ticket)(seen, response)
  const [cost] = await left('/v3/images/generations', { model: 'bfl/flux-pro-1.1', prompt: 'A door' }, draw, 1)
  assert.equal(cost, 0.04)
})

test('of two images, each is paid once, whether or not it was made before the caller left', async () => {
  let tickets = 0
  const draw: Behaviour = (seen, response) => {
    if (!seen.path.includes('get_result')) {
      const id = tickets++
      return status(200, { id, polling_url: `${scene.fake.url}/get_result?id=${id}` })(seen, response)
    }
    const made = { id: '0', status: 'Ready', result: { sample: 'https://cdn.example/door.png' } }
    return seen.path.endsWith('id=0') ? status(200, made)(seen, response) : undefined
  }
  const order = { model: 'bfl/flux-pro-1.1', prompt: 'A door', n: 2, size: '1024x1024' }
  const [cost] = await left('/v3/images/generations', order, draw, 3)
  assert.equal(cost, 0.08)
})

test('a caller who leaves while a hook asks again pays the first answer, the second prompt, and the second answer', async () => {
  const usage = { prompt_tokens: 9, completion_tokens: 500, total_tokens: 509 }
  const once: Behaviour = (seen, response) =>
    scene.fake.requests.length > 1 ? undefined : answer({ content: 'not json', usage })(seen, response)
  const heal = { action: 'json_heal', params: { json_schema: { type: 'object', required: ['a'] }, retry: true } }
  const body = { model: 'fake/priced', max_tokens: 500, messages, post_hooks: [heal] }
  const [cost, line] = await left('/v3/chat/completions', body, once, 1)
  assert.ok(cost > 0.001009 && cost < 0.0022, String(cost))
  assert.deepEqual([line.cost, line.estimated], [cost, true])
})

test('a caller whose time is over pays like one who leaves', async () => {
  const [path, body, usd] = ORDERS['two images of low quality']!
  scene.fake.always(silence())
  await withEnoughTime(100, async (ms) => {
    const before = await spent()
    const reply = await scene.post(path, body, { 'x-gatehouse-timeout-ms': String(ms) })
    assert.equal(reply.status, 504, await reply.text())
    assert.equal(rounded((await spent()) - before), usd)
  })
})

test('an unknown cost is null, and not zero', async () => {
  await scene.limit({ budgets: [] })
  const [, line] = await left('/v3/images/generations', { ...DRAWN, model: 'openai/gpt-image-2.6-flare' })
  await scene.limit({ budgets: [BUDGET] })
  assert.deepEqual([line.cost, line.estimated], [null, true])
})

test('a speech whose caller leaves after the first bytes is paid as a whole', async () => {
  scene.fake.always((_, response) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).write('sound'))
  const before = await spent()
  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const [path, body, usd] = ORDERS['the characters of a speech']!
  const order = { method: 'POST', headers, body: JSON.stringify(body), signal: leaving.signal }
  await (await fetch(`${scene.gateway.url}${path}`, order)).body!.getReader().read()
  leaving.abort()
  await (await scene.fake.request(0)).closed
  await idle(scene.gateway)
  assert.equal(rounded((await spent()) - before), rounded(usd))
})

const JOBS: Record<string, [order: object, usd: number]> = {
  'a job': [TRANSLATED, 6 * PER_CHARACTER.deepl],
  'a job with a ticket': [CRAWLED, 100 * 4 * CREDIT],
}

for (const [what, [order, usd]] of Object.entries(JOBS))
  test(`${what} that is cancelled has spent what it ordered`, async () => {
    scene.fake.always(crawl('scraping'))
    const before = await spent()
    const id = await submitted(order)
    await scene.fake.request(order === CRAWLED ? 1 : 0)
    assert.equal((await scene.admin('POST', `/admin/jobs/${id}/cancel`)).status, 202)
    await ended(id)
    assert.equal(rounded((await spent()) - before), rounded(usd))
  })

test('a job that goes on in another process is paid once, by the process that gets its result', async () => {
  scene.fake.always(crawl('scraping'))
  const before = await spent()
  const id = await submitted(CRAWLED)
  await scene.fake.request(1)
  await scene.restart(() => scene.fake.always(crawl('completed')))
  await ended(id)
  assert.equal(rounded((await spent()) - before), rounded(2 * CREDIT))
})

test('a job that is refused when it goes on is paid as an estimate, also by limits: its provider is at work', async () => {
  scene.fake.always(crawl('scraping'))
  const before = await spent()
  const id = await submitted(CRAWLED)
  await scene.fake.request(1)
  const used = { ...BUDGET, id: 'used', limit: 0.000001, providers: ['firecrawl'] }
  await scene.restart(async () => await scene.limit({ budgets: [BUDGET, used] }).catch(() => undefined))
  await ended(id)
  await scene.limit({ budgets: [BUDGET] })
  const { items } = (await (await scene.admin('GET', '/admin/requests?limit=99')).json()) as { items: RequestLine[] }
  const line = items.find((one) => one.id === id)!
  const most = rounded(400 * CREDIT)
  assert.deepEqual([line.status, line.cost, line.estimated, rounded((await spent()) - before)], [402, most, true, most])
})

test('nothing stays reserved for those who have left, and the books agree', () => demandSettled(scene))

/** Answers requests for a crawl, and nothing else. */
function crawl(state: 'scraping' | 'completed'): Behaviour {
  return (seen, response) => {
    if (seen.path.endsWith('/crawl')) return status(200, { success: true, id: 'crawl-1' })(seen, response)
    const page = { markdown: 'Hello!', metadata: { sourceURL: 'https://example.com/', statusCode: 200 } }
    const reply = { success: true, status: state, total: 1, completed: 1, creditsUsed: 2, data: [page] }
    return seen.path.includes('/crawl/') ? status(200, reply)(seen, response) : undefined
  }
}

async function submitted(order: object): Promise<string> {
  const reply = await scene.post('/v3/universal-ai/async', order)
  return ((await reply.json()) as { public_id: string }).public_id
}

async function ended(id: string): Promise<void> {
  const state = async () =>
    ((await (await scene.admin('GET', `/admin/jobs/${id}`)).json()) as { status: string }).status
  while (!['success', 'fail'].includes(await state())) await setTimeout(POLL_MS)
}

function left(path: string, body: object, behaviour?: Behaviour, requests?: number) {
  return leftEarly(scene, path, body, { behaviour, requests })
}

function spent(): Promise<number> {
  return spentOf(scene)
}

/** A wave file of so many seconds. Its header counts as a part of the last one. */
function recording(seconds: number): FormData {
  const bytes = waveFile(new Uint8Array(seconds * 2 * RATE_HZ - WAVE_HEADER_BYTES), RATE_HZ)
  const data = new FormData()
  data.set('model', 'openai/whisper-1')
  data.set('file', new Blob([bytes], { type: 'audio/wav' }), 'a.wav')
  return data
}
