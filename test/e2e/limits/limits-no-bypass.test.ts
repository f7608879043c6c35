import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { answer, status } from '../../fakes/behaviours.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import type { LimitsGateway } from '../../gateway/limits-gateway.ts'
import { endOf, startSpendingGateway } from '../../gateway/spending-gateway.ts'
import { CHAT, isOfPlayground, messages, namesOfRoutes, ROUTES, type Sent } from '../../gateway/spending-routes.ts'

// Every route that may spend is called with an exhausted budget, and no provider may hear of it.

let spending: Awaited<ReturnType<typeof startSpendingGateway>>
let scene: LimitsGateway
before(async () => {
  spending = await startSpendingGateway({
    config: { prices: { 'openai/omni-moderation-latest': { input: 1, output: 1 } } },
    overrides: { batchTiming: { pollMs: 20, heartbeatMs: 50, keyMs: -1 } },
  })
  scene = spending.scene
})
beforeEach(() => spending.forget())
after(() => spending.close())

let made = 0
const exhausted = (more: object = {}) => ({
  id: `spent-${made++}`,
  appliesTo: 'all',
  limit: 0,
  window: 'month',
  ...more,
})

test('every route that takes a body says what it spends', () => {
  const names = namesOfRoutes()
  assert.deepEqual(
    names.filter((name) => !(name in ROUTES)),
    [],
  )
  assert.deepEqual(
    Object.keys(ROUTES).filter((name) => !names.includes(name)),
    [],
  )
})

/** A new budget is a reload of the configuration, so all routes are called with one, and then all of them with the other. */
describe('with a budget', () => {
  before(() => scene.limit({ budgets: [] }))
  everyRoute('spends', async (path, one) => {
    const paid = await send(path, one)
    const text = await (one.isJob || one.isBatch ? ended(paid) : paid.text())
    assert.ok(spending.asked().length > 0, text)
  })
})

describe('with an exhausted budget', () => {
  before(() => scene.limit({ budgets: [exhausted()] }))
  everyRoute('calls no provider', async (path, one) => {
    const refused = await send(path, one)
    if (one.isBatch) assert.match(await ended(refused), /"paused_?reason":\s*"[^"]*budget/i)
    else if (one.isEvents || one.isTool) assert.match(await refused.text(), /budget/)
    else assert.equal(refused.status, 402, await refused.text())
    assert.deepEqual(spending.asked(), [])
  })
})

function everyRoute(does: string, holds: (path: string, one: Sent) => Promise<void>): void {
  for (const [name, sent] of Object.entries(ROUTES))
    if (typeof sent !== 'string')
      for (const [index, one] of sent.entries())
        test(`${name} (${index}) ${does}`, () => holds(one.path ?? name.slice('POST '.length), one))
}

test('what hooks ask models for is paid from the same budgets', async () => {
  const hook = { action: 'translate', params: { target_language: 'fr', provider: 'deepl' } }
  const body = { model: CHAT, messages, pre_hooks: [hook] }
  await scene.limit({ budgets: [exhausted({ providers: ['deepl'] })] })
  assert.equal((await scene.post('/v3/chat/completions', body)).status, 402)
  assert.equal(scene.fake.requests.length, 0)
  const heal = { action: 'json_heal', params: { json_schema: { type: 'object', required: ['a'] }, retry: true } }
  const asked = { model: 'fake/priced', max_tokens: 500, messages, post_hooks: [heal] }
  // Enough for one answer, not for a second one.
  await scene.limit({ budgets: [exhausted({ limit: 0.0012, onExceeded: 'refuse' })] })
  scene.fake.always(
    answer({ content: 'not json', usage: { prompt_tokens: 9, completion_tokens: 500, total_tokens: 509 } }),
  )
  await (await scene.post('/v3/chat/completions', asked)).arrayBuffer()
  assert.equal(scene.fake.requests.length, 1)
})

test('every text that is sent is reserved for, also in fields that only the provider knows', async () => {
  await scene.limit({ budgets: [exhausted({ limit: 0.015, onExceeded: 'refuse' })] })
  const long = 'A long text. '.repeat(10_000)
  const bodies = {
    '/v3/chat/completions': { model: 'fake/priced', max_tokens: 9, messages },
    '/v3/embeddings': { model: 'cohere/embed-v4.0', input: 'Hello!' },
    '/v3/moderations': { model: 'openai/omni-moderation-latest', input: 'Hello!' },
    '/v3/audio/speech': { model: 'openai/gpt-4o-mini-tts', input: 'Hi', voice: 'alloy' },
  }
  for (const [path, body] of Object.entries(bodies)) {
    assert.notEqual((await scene.post(path, body)).status, 402, path)
    assert.equal((await scene.post(path, { ...body, documents: [long], instructions: long })).status, 402, path)
  }
})

test('a further attempt is reserved before it is sent: fallbacks, retries and continuations', async () => {
  const body = { model: 'fake/priced', max_tokens: 1_000, messages, stream: true, fallbacks: ['fake/other'] }
  // The stream breaks off after it was begun, so both targets have to be paid.
  await scene.limit({ budgets: [exhausted({ limit: 0.003, onExceeded: 'refuse' })] })
  const chunk = { choices: [{ index: 0, delta: { role: 'assistant', content: 'Once' }, finish_reason: null }] }
  scene.fake.next((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', ...chunk })}\n\n`)
    response.socket!.end()
  })
  const text = await (await scene.post('/v3/chat/completions', body)).text().catch(() => '')
  assert.doesNotMatch(text, /\[DONE\]/)
  assert.equal(scene.fake.requests.length, 1)
  scene.fake.reset()
  await scene.limit({ budgets: [exhausted({ models: ['fake/other'] })] })
  scene.fake.next(status(500, 'broken'))
  assert.equal((await scene.chat({ fallbacks: ['fake/other'] })).status, 502)
  assert.equal(scene.fake.requests.length, 1)
})

test('what runs inside of the gateway costs nothing, and needs no budget', async () => {
  await scene.limit({ budgets: [exhausted()] })
  for (const model of ['text/moderation/local', 'text/moderation/sandbox']) {
    const reply = await scene.post('/v3/universal-ai', { model, input: { text: 'Hello!' } })
    assert.equal(reply.status, 200, await reply.text())
  }
})

function send(path: string, { body }: Sent): Promise<Response> {
  if (isOfPlayground(path)) return scene.admin('POST', path, body)
  if (!(body instanceof FormData)) return scene.post(path, body)
  return fetch(`${scene.gateway.url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${API_KEY}` }, body })
}

function ended(submitted: Response): Promise<string> {
  const headers = { authorization: `Bearer ${API_KEY}` }
  const isOwn = isOfPlayground(new URL(submitted.url).pathname)
  return endOf(submitted, (path) =>
    isOwn
      ? scene.admin('GET', path.replace('/v3', '/admin/playground'))
      : fetch(`${scene.gateway.url}${path}`, { headers }),
  )
}
