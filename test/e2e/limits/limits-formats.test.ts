import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

// A budget that cannot pay for the whole answer shortens it, and says so in every format that a client may speak.

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway()
})
beforeEach(() => scene.fake.reset())
after(() => scene.close())

const MODEL = 'fake/priced'
const MUCH = 100_000
const messages = [{ role: 'user', content: 'hi' }]
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
const generationConfig = { maxOutputTokens: MUCH }
const GEMINI = `/v3/v1beta/models/${MODEL}`

const FORMATS: [path: string, body: object][] = [
  ['/v3/chat/completions', { model: MODEL, messages, max_tokens: MUCH }],
  ['/v3/chat/completions', { model: MODEL, messages, max_completion_tokens: MUCH, stream: true }],
  ['/v3/completions', { model: MODEL, prompt: 'hi', max_tokens: MUCH }],
  ['/v3/v1/messages', { model: MODEL, messages, max_tokens: MUCH }],
  ['/v3/v1/messages', { model: MODEL, messages, max_tokens: MUCH, stream: true }],
  ['/v3/responses', { model: MODEL, input: 'hi', max_output_tokens: MUCH }],
  ['/v3/responses', { model: MODEL, input: 'hi', max_output_tokens: MUCH, stream: true }],
  ['/v3/v2/chat', { model: MODEL, messages, max_tokens: MUCH }],
  [`${GEMINI}:generateContent`, { contents, generationConfig }],
  [`${GEMINI}:streamGenerateContent?alt=sse`, { contents, generationConfig }],
]

for (const [index, [path, body]] of FORMATS.entries())
  test(`${path}${'stream' in body ? ', streamed' : ''}: the answer is shortened, with a note`, async () => {
    const budget = { id: `small-${index}`, appliesTo: 'all', limit: 0.001, window: 'month' }
    await scene.limit({ budgets: [budget] })
    const reply = await scene.post(path, body, { 'x-gatehouse-metadata': 'enabled' })
    const text = await reply.text()
    assert.equal(reply.status, 200, text)
    assert.match(text, /"field":"max_tokens","action":"lowered","reason":"limits have reserved \d+ tokens/)
    const sent = scene.fake.requests[0]!.body as { max_tokens?: number; max_completion_tokens?: number }
    const lowered = sent.max_tokens ?? sent.max_completion_tokens!
    assert.ok(lowered >= 256 && lowered < 500, String(lowered))
  })
