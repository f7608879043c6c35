import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, beforeEach, test } from 'node:test'
import { RetryBudget } from '../../src/calls/attempts/retry-budget.ts'
import { type Behaviour, silence, status } from '../fakes/behaviours.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { idle } from '../gateway/gateway-with-fakes.ts'
import { BUDGET, demandSettled, leftEarly, rounded, spentOf } from '../gateway/leaving.ts'
import { type LimitsGateway, startLimitsGateway } from '../gateway/limits-gateway.ts'

// A caller that leaves pays what was ordered until then: no part that was never sent, and every part that was.

const PROVIDERS = ['OPENAI', 'COHERE', 'BFL', 'ASSEMBLY']
const PER_TOKEN = 0.12 / 1_000_000
const TEXTS_PER_REQUEST = 96
const REQUESTS_AT_ONCE = 8
const DRAWN = { model: 'bfl/flux-pro-1.1', prompt: 'A door', size: '1024x1024' }
const AN_IMAGE = 0.04
const WAIT_MS = 20_000

let scene: LimitsGateway
let isWaiting = Promise.withResolvers<void>()
before(async () => {
  const env = PROVIDERS.map((name) => [`${name}_API_KEY`, 'sk-fake-0123456789'])
  const backOffMs = () => WAIT_MS
  const retries = new RetryBudget({ toBeginWith: 100 })
  const config = { providers: { openai: { responses: true } } }
  scene = await startLimitsGateway({ backOffMs, sleep, retries }, Object.fromEntries(env), { moves: PROVIDERS, config })
  // The next call is refused if the slot of the one before is still taken.
  const slot = { id: 'slot', appliesTo: 'all', unit: 'concurrent', limit: 1 }
  await scene.limit({ budgets: [BUDGET], rateLimits: [slot] })
})
beforeEach(() => {
  scene.fake.reset()
  isWaiting = Promise.withResolvers()
})
after(() => scene.close())

/** The wait before another attempt ends when its caller leaves, and no other wait takes any time. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms !== WAIT_MS) return signal.throwIfAborted()
  isWaiting.resolve()
  await once(signal, 'abort')
  throw signal.reason
}

test('of many texts, those that were not sent are not paid', async () => {
  const input = Array.from({ length: 10 * TEXTS_PER_REQUEST }, () => 'x'.repeat(97))
  const requests = REQUESTS_AT_ONCE - 1
  const [cost] = await leftEarly(scene, '/v3/embeddings', { model: 'cohere/embed-v4.0', input }, { requests })
  // A text has two quotes and a comma around it, and every list a bracket more.
  const tokens = REQUESTS_AT_ONCE * ((TEXTS_PER_REQUEST * 100) / 4 + 1)
  assert.equal(cost, rounded(tokens * PER_TOKEN))
})

test('of an input that consists of tokens, each is paid', async () => {
  const model = 'openai/text-embedding-3-small'
  for (const input of [Array(1_000).fill(100_000), Array(10).fill(Array(100).fill(100_000))]) {
    const [cost] = await leftEarly(scene, '/v3/embeddings', { model, input })
    scene.fake.reset()
    assert.equal(cost, 0.00002)
  }
})

test('a conversation that is being shortened is paid once, and not for its input and once more for its items', async () => {
  const body = { model: 'openai/gpt-4o-mini', input: 'x'.repeat(40_000) }
  const [cost, { prompt_tokens }] = await leftEarly(scene, '/v3/responses/compact', body)
  const ofText = (10_000 * 0.15) / 1_000_000
  assert.ok(cost >= ofText && prompt_tokens < 11_000, `${cost} ${prompt_tokens}`)
})

test('of a ranking by vectors, the documents are not paid if only the query was sent', async () => {
  const body = { model: 'cohere/embed-v4.0', query: 'x'.repeat(96), documents: ['x'.repeat(9_000), 'y'] }
  const [cost] = await leftEarly(scene, '/v3/rerank', body)
  assert.equal(cost, rounded(25 * PER_TOKEN))
})

test('an image that is being drawn is paid, also if its caller leaves between two attempts', async () => {
  const ticket = { id: 'a', polling_url: `${scene.fake.url}/get_result?id=a` }
  const draw: Behaviour = (seen, response) =>
    (seen.path.includes('get_result') ? status(500, {}) : status(200, ticket))(seen, response)
  const until = () => isWaiting.promise
  const [cost] = await leftEarly(scene, '/v3/images/generations', DRAWN, { behaviour: draw, requests: 1, until })
  assert.equal(cost, AN_IMAGE)
})

test('an image whose provider has failed is not paid by a caller who leaves before the next attempt', async () => {
  const until = () => isWaiting.promise
  const [cost] = await leftEarly(scene, '/v3/images/generations', DRAWN, { behaviour: status(500, {}), until })
  assert.equal(cost, 0)
})

const STREAMS: Record<string, [path: string, body: object]> = {
  'a speech': ['/v3/audio/speech', { model: 'openai/gpt-4o-mini-tts', input: 'Hello!', voice: 'alloy' }],
  'a transcript': ['/v3/audio/transcriptions', recording('openai/gpt-4o-transcribe', { stream: 'true' })],
}

for (const [what, [path, body]] of Object.entries(STREAMS))
  test(`${what} that has begun and did not come to its usage is paid as an estimate`, async () => {
    const event = { type: 'speech.audio.delta', audio: Buffer.from('sound').toString('base64') }
    const first = `data: ${JSON.stringify(event)}\n\n`
    scene.fake.always(
      (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first),
    )
    const [spent, line] = await leftAfterFirstBytes(path, body)
    assert.ok(line.cost! > 0, String(line.cost))
    assert.deepEqual([rounded(line.cost!), line.estimated], [spent, true])
  })

test('a recording that is being uploaded has not been ordered yet; then it has', async () => {
  const order = recording('assembly/universal-2', {})
  const [uploading] = await leftEarly(scene, '/v3/audio/transcriptions', order)
  assert.equal(uploading, 0)
  scene.fake.reset()
  const upload: Behaviour = (seen, response) =>
    (seen.path.endsWith('/upload') ? status(200, { upload_url: 'https://cdn.example/a' }) : silence())(seen, response)
  const [ordering, line] = await leftEarly(scene, '/v3/audio/transcriptions', order, { behaviour: upload, requests: 1 })
  assert.ok(ordering > 0)
  assert.deepEqual([line.cost, line.estimated], [ordering, true])
})

test('nothing stays reserved for those who have left, and the books agree', () => demandSettled(scene))

async function leftAfterFirstBytes(path: string, body: object) {
  const before = await spentOf(scene)
  const leaving = new AbortController()
  const isForm = body instanceof FormData
  const headers = { authorization: `Bearer ${API_KEY}`, ...(!isForm && { 'content-type': 'application/json' }) }
  const sent = { method: 'POST', headers, body: isForm ? body : JSON.stringify(body), signal: leaving.signal }
  await (await fetch(`${scene.gateway.url}${path}`, sent)).body!.getReader().read()
  leaving.abort()
  await (await scene.fake.request(0)).closed
  await idle(scene.gateway)
  const spent = rounded((await spentOf(scene)) - before)
  const { items } = (await (await scene.admin('GET', '/admin/requests?limit=1')).json()) as {
    items: { cost: number | null; estimated: boolean }[]
  }
  return [spent, items[0]!] as const
}

function recording(model: string, fields: Record<string, string>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries({ model, ...fields })) data.set(name, value)
  data.set('file', new Blob([new Uint8Array(4_000)], { type: 'audio/wav' }), 'a.wav')
  return data
}
