import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { BUDGET, leftEarly, spentOf } from '../../gateway/leaving.ts'
import { errorIn, type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// What the operator says that a model costs holds for everything that is computed from prices: what is reserved, what is paid by
// a caller who leaves, and what is billed.

const PROVIDERS = ['OPENAI', 'COHERE', 'BFL']
const MICRO = 0.000001
const GPT = 'openai/gpt-4o'
const messages = [{ role: 'user', content: 'Hello!' }]

const PRICES = {
  [GPT]: { input: 1, output: 2 },
  'openai/gpt-image-1.5': { perImage: 0.001 },
  'openai/gpt-image-1-mini': { input: 0.001, output: 0.001 },
  'bfl/flux-2-pro': { perImage: 0.002 },
  'bfl/flux-pro-1.1': { perRequest: 0.003 },
  'openai/tts-1': { perRequest: 0.004 },
  'openai/tts-1-hd': { input: 0.01, output: 0.01, audioOutput: 0.01 },
  'openai/whisper-1': { perRequest: 0.005 },
  'openai/text-embedding-3-small': { input: 7, output: 0 },
  'openai/text-embedding-3-large': { perRequest: 0.006 },
  'cohere/rerank-v3.5': { perRequest: 0.007 },
  'openai/omni-moderation-latest': { perRequest: 0.008 },
}

let scene: LimitsGateway
before(async () => {
  const env = PROVIDERS.map((name) => [`${name}_API_KEY`, 'sk-fake-0123456789'])
  scene = await startLimitsGateway({}, Object.fromEntries(env), { moves: PROVIDERS, config: { prices: PRICES } })
})
after(() => scene.close())
beforeEach(() => scene.fake.reset())

type Priced = { path: string; body: object | FormData; reserved: number; left?: number }
const DRAW = '/v3/images/generations'
const TASK = '/v3/universal-ai'
const SPOKEN = { input: 'Hello!', voice: 'alloy' }

/** The most that each may cost, and what it costs if it is left. Without the latter, it is not more than the former. */
const WORK: Record<string, Priced> = {
  'images of a model that the catalog has prices of tokens for': {
    path: DRAW,
    body: { model: 'openai/gpt-image-1.5', prompt: 'A door', n: 2 },
    reserved: 0.002,
    left: 0.002,
  },
  'images of a model that the catalog has a price of a megapixel for': {
    path: DRAW,
    body: { model: 'bfl/flux-2-pro', prompt: 'A door' },
    reserved: 0.002,
    left: 0.002,
  },
  'images that are paid by requests': {
    path: DRAW,
    body: { model: 'bfl/flux-pro-1.1', prompt: 'A door' },
    reserved: 0.003,
    left: 0.003,
  },
  'images that are paid by tokens, and not by the prices of images in the catalog': {
    path: DRAW,
    body: { model: 'openai/gpt-image-1-mini', prompt: 'A door' },
    reserved: 0.0001,
  },
  'speech that is paid by requests': {
    path: '/v3/audio/speech',
    body: { ...SPOKEN, model: 'openai/tts-1' },
    reserved: 0.004,
    left: 0.004,
  },
  'speech that is paid by tokens, and not by characters': {
    path: '/v3/audio/speech',
    body: { ...SPOKEN, model: 'openai/tts-1-hd' },
    reserved: 0.00002,
  },
  'a transcript': { path: '/v3/audio/transcriptions', body: recording(), reserved: 0.005, left: 0.005 },
  'vectors that are paid by tokens': {
    path: '/v3/embeddings',
    reserved: 7 * 4_000 * MICRO,
    left: 7 * 1_001 * MICRO,
    body: { model: 'openai/text-embedding-3-small', input: ['x'.repeat(4_000)] },
  },
  'vectors that are paid by requests': {
    path: '/v3/embeddings',
    body: { model: 'openai/text-embedding-3-large', input: 'Hi' },
    reserved: 0.006,
    left: 0.006,
  },
  'a ranking': {
    path: '/v3/rerank',
    body: { model: 'cohere/rerank-v3.5', query: 'Hi', documents: ['a', 'b'] },
    reserved: 0.007,
    left: 0.007,
  },
  'a moderation': {
    path: '/v3/moderations',
    body: { model: 'openai/omni-moderation-latest', input: 'Hi' },
    reserved: 0.008,
    left: 0.008,
  },
  'a chat': {
    path: '/v3/chat/completions',
    body: { model: GPT, messages, max_tokens: 1_000 },
    reserved: 0.0021,
  },
  'a task by an adapter': {
    path: TASK,
    body: { model: 'audio/tts/openai/tts-1', input: { text: 'Hello!' } },
    reserved: 0.004,
    left: 0.004,
  },
  'a task by the model that does it if none is named': {
    path: TASK,
    body: { model: 'audio/tts/openai', input: { text: 'Hello!' } },
    reserved: 0.004,
    left: 0.004,
  },
  'a task by an image model': {
    body: { model: 'image/generation/openai/gpt-image-1.5', input: { text: 'A door', resolution: '1024x1024' } },
    path: TASK,
    reserved: 0.001,
    left: 0.001,
  },
  'a task by an embedding model': {
    body: { model: 'text/embeddings/openai/text-embedding-3-large', input: { texts: ['Hi'] } },
    path: TASK,
    reserved: 0.006,
    left: 0.006,
  },
}

describe('a price of the operator is what is reserved, and what is paid by a caller who leaves:', () => {
  for (const [what, { path, body, reserved, left }] of Object.entries(WORK))
    test(what, async () => {
      const needed = await neededFor(path, body)
      assert.ok(needed <= reserved * 1.1 && needed > 0, `${needed} instead of ${reserved}`)
      if (left !== undefined && left === reserved) assert.equal(needed, reserved)
      await scene.limit({ budgets: [BUDGET] })
      const [cost] = await leftEarly(scene, path, body)
      if (left === undefined) assert.ok(cost > 0 && cost <= needed, String(cost))
      else assert.equal(cost, Number(left.toFixed(9)))
    })
})

test('images are billed by the image if the operator says so, also if their provider counts tokens', async () => {
  await scene.limit({ budgets: [BUDGET] })
  const data = [{ b64_json: Buffer.from('an image').toString('base64') }]
  const usage = { input_tokens: 9, output_tokens: 4_000, total_tokens: 4_009 }
  scene.fake.always((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ created: 1, data, usage }))
  })
  const before = await spentOf(scene)
  const reply = await scene.post(DRAW, { model: 'openai/gpt-image-1.5', prompt: 'A door' })
  assert.equal(reply.status, 200, await reply.text())
  assert.equal(Number(((await spentOf(scene)) - before).toFixed(9)), 0.001)
})

test('a chat is billed by the price of the operator, also if its provider names the version that answered', async () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 1_000, total_tokens: 2_000 }
  scene.fake.always(answer({ usage, extra: { model: 'gpt-4o-2024-08-06' } }))
  const { cost } = (await (await scene.chat({ model: GPT })).json()) as { cost: number }
  assert.equal(cost, 0.003)
})

test('a dry run shows the price of the operator', async () => {
  const request = { model: GPT, messages, max_tokens: 1_000 }
  const reply = await scene.admin('POST', '/admin/explain', request)
  const text = await reply.text()
  assert.equal(reply.status, 200, text)
  const { targets } = JSON.parse(text) as { targets: { estimated_cost: number }[] }
  assert.ok(targets[0]!.estimated_cost < 0.0021, text)
})

/** What such a call reserves, as a budget that is too small says it. */
async function neededFor(path: string, body: object): Promise<number> {
  await scene.limit({ budgets: [{ ...BUDGET, id: 'tiny', limit: 0.00000001, onExceeded: 'refuse' }] })
  const isForm = body instanceof FormData
  const headers = { authorization: `Bearer ${API_KEY}`, ...(!isForm && { 'content-type': 'application/json' }) }
  const sent = { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) }
  const reply = await fetch(`${scene.gateway.url}${path}`, sent)
  const { message } = await errorIn(reply, 402)
  const [, usd] = /may cost ([\d.]+) USD/.exec(String(message)) ?? []
  assert.ok(usd, String(message))
  return Number(usd)
}

function recording(): FormData {
  const data = new FormData()
  data.set('model', 'openai/whisper-1')
  data.set('file', new Blob([new Uint8Array(4_000)], { type: 'audio/wav' }), 'a.wav')
  return data
}
