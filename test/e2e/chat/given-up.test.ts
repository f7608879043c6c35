import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RequestLine } from '../../../src/contract/admin/requests.ts'
import { type Behaviour, status } from '../../fakes/behaviours.ts'
import { PNG_IMAGE } from '../../fakes/images.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'
import { BUDGET, demandSettled, rounded, spentOf } from '../../gateway/leaving.ts'

// A provider that takes longer than it may has got the request, and bills it. The ledger has an estimate for it, and the exact cost of
// the model that answered in its place; the answer states only the latter.

const PROVIDERS = ['OPENAI', 'COHERE', 'MISTRAL', 'VOYAGE', 'GROQ', 'XAI']
const SHORT_MS = 200
const VECTOR = {
  object: 'list',
  data: [{ index: 0, embedding: [0.1] }],
  usage: { prompt_tokens: 10, total_tokens: 10 },
}
const MODERATED = 'openai/omni-moderation-latest'

let scene: LimitsGateway
before(async () => {
  const env = PROVIDERS.map((name) => [`${name}_API_KEY`, 'sk-fake-0123456789'])
  scene = await startLimitsGateway({}, Object.fromEntries(env), {
    moves: PROVIDERS,
    config: {
      prices: { [MODERATED]: { input: 1, output: 1 } },
      aliases: { drawer: { targets: [{ model: 'openai/gpt-image-1.5' }], fallbacks: ['xai/grok-imagine-image'] } },
    },
  })
})
after(() => scene.close())

type Case = {
  path: string
  body: object
  /** The provider that is given up, and its estimated bill. */
  slow: string
  likely: number
  /** What the fallback answers, and costs; absent if there is none. */
  reply?: object | string
  exact?: number
}

const CASES: Record<string, Case> = {
  speech: {
    path: '/v3/audio/speech',
    body: { model: 'openai/tts-1', input: 'Hello!', voice: 'alloy', fallbacks: ['groq/playai-tts'] },
    slow: 'openai',
    likely: 6 * 0.000015,
    reply: 'sound',
    exact: 6 * 0.00005,
  },
  'a transcription': {
    path: '/v3/audio/transcriptions',
    body: recording({ model: 'openai/whisper-1', fallbacks: 'groq/whisper-large-v3-turbo' }),
    slow: 'openai',
    likely: 7 * 0.0001,
    reply: { text: 'Hi.', duration: 6 },
    exact: 6 * 0.00001111,
  },
  'a ranking': {
    path: '/v3/rerank',
    body: { model: 'cohere/rerank-v3.5', query: 'Hello!', documents: ['Hi'], fallbacks: ['voyage/rerank-2.5'] },
    slow: 'cohere',
    likely: 0.002,
    exact: (100 * 0.05) / 1e6,
    reply: { data: [{ index: 0, relevance_score: 0.5 }], usage: { total_tokens: 100 } },
  },
  embeddings: {
    path: '/v3/embeddings',
    body: { model: 'openai/text-embedding-3-small', input: 'x'.repeat(3_998), fallbacks: ['mistral/mistral-embed'] },
    slow: 'openai',
    likely: 0.00002,
    reply: VECTOR,
    exact: (10 * 0.1) / 1e6,
  },
  'an image': {
    path: '/v3/images/generations',
    body: { model: 'drawer', prompt: 'A door', quality: 'low', size: '1024x1024' },
    slow: 'openai',
    likely: 0.009,
    exact: 0.02,
    reply: { created: 1, data: [{ b64_json: PNG_IMAGE.toString('base64') }] },
  },
  'a moderation, for which there is no other provider': {
    path: '/v3/moderations',
    body: { model: MODERATED, input: 'x'.repeat(400) },
    slow: 'openai',
    likely: 0.0001,
  },
}

for (const [what, { path, body, slow, likely, reply, exact }] of Object.entries(CASES))
  test(`${what}: what a provider was given up for is booked as an estimate, besides the answer`, async () => {
    await scene.limit({ budgets: [BUDGET], timeouts: { [slow]: { headersMs: SHORT_MS } } })
    scene.fake.reset()
    scene.fake.always(slowUnlessFallback(reply))
    const before = await spentOf(scene)
    const isForm = body instanceof FormData
    const answer = await fetch(`${scene.gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, ...(!isForm && { 'content-type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body),
    })
    const text = await answer.text()
    assert.equal(answer.status, reply === undefined ? 504 : 200, text)
    const line = await lastLine()
    assert.equal(scene.fake.requests.length, reply === undefined ? 1 : 2)
    const sum = rounded(likely + (exact ?? 0))
    assert.deepEqual([rounded(line.cost!), line.estimated, rounded((await spentOf(scene)) - before)], [sum, true, sum])
    if (typeof reply === 'object') assert.equal(rounded((JSON.parse(text) as { cost: number }).cost), rounded(exact!))
  })

test('nothing stays reserved for providers that were given up, and the books agree', async () => {
  await scene.limit({ budgets: [BUDGET], timeouts: {} })
  await demandSettled(scene)
})

/** The first request gets no answer. */
function slowUnlessFallback(reply: object | string | undefined): Behaviour {
  let asked = 0
  const type = typeof reply === 'string' ? 'audio/mpeg' : 'application/json'
  return (seen, response) => {
    if (asked++ === 0 || reply === undefined) return undefined
    return status(200, reply, { 'content-type': type })(seen, response)
  }
}

async function lastLine(): Promise<RequestLine> {
  await scene.gateway.gateway.services.calls.ledger.flush()
  const { items } = (await (await scene.admin('GET', '/admin/requests?limit=1')).json()) as { items: RequestLine[] }
  return items[0]!
}

function recording(fields: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([new Uint8Array(4_000)], { type: 'audio/mpeg' }), 'a.mp3')
  return form
}
