import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { Circuits } from '../../../src/calls/attempts/circuits.ts'
import { RetryBudget } from '../../../src/calls/attempts/retry-budget.ts'
import { type Behaviour, failure } from '../../fakes/behaviours.ts'
import { hangUp } from '../../fakes/hang-up.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'

// For every endpoint: failures of requests with a caller's own fields or headers open a circuit only for such requests of
// this owner, not for its plain ones, nor for other owners. The provider always fails; the test checks which requests reach
// it.

const MESSAGES = [{ role: 'user', content: 'Hello' }]

const provider = await startFakeProvider({ everyPath: true })
const gateway = await startGateway({
  env: { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'sk-test-0123456789abcdefghij' },
  overrides: {
    circuits: new Circuits(Date.now),
    retries: new RetryBudget({ toBeginWith: 0, perRequest: 0 }),
  },
})
const admin = adminClient(gateway.adminUrl)
after(async () => {
  await gateway.close()
  await provider.close()
})
beforeEach(() => {
  provider.reset()
  provider.always(failure(500))
})

type Endpoint = { path: string; body: object; own: object; headers?: Record<string, string> }

const EXTRA_HEADERS = { extra_headers: { 'x-feature': 'any' } }
const ENDPOINTS: Record<string, Endpoint> = {
  chat: { path: 'chat/completions', body: { model: 'openai/chat-1', messages: MESSAGES }, own: { unknown_field: 1 } },
  'a streamed chat': {
    path: 'chat/completions',
    body: { model: 'openai/chat-2', messages: MESSAGES, stream: true },
    own: { extra_body: { unknown_field: 1 } },
  },
  messages: {
    path: 'v1/messages',
    body: { model: 'openai/chat-3', messages: MESSAGES, max_tokens: 9 },
    own: EXTRA_HEADERS,
  },
  'messages with a beta': {
    path: 'v1/messages',
    body: { model: 'openai/chat-4', messages: MESSAGES, max_tokens: 9 },
    own: {},
    headers: { 'anthropic-beta': 'any' },
  },
  responses: { path: 'responses', body: { model: 'openai/chat-5', input: 'Hello' }, own: EXTRA_HEADERS },
  embeddings: {
    path: 'embeddings',
    body: { model: 'openai/text-embedding-3-small', input: 'x' },
    own: { unknown_field: 1 },
  },
  moderations: { path: 'moderations', body: { input: 'x' }, own: { unknown_field: 1 } },
  images: { path: 'images/generations', body: { model: 'openai/gpt-image-2', prompt: 'x' }, own: { unknown_field: 1 } },
  'a task by a chat model': {
    path: 'universal-ai',
    body: { model: 'text/sentiment_analysis/openai/gpt-4o-mini', input: { text: 'Fine.', language: 'en' } },
    own: { provider_params: { temperature: 0.5 } },
  },
  'a task by an adapter': {
    path: 'universal-ai',
    body: { model: 'text/moderation/openai', input: { text: 'Fine.', language: 'en' } },
    own: { provider_params: { unknown_field: 1 } },
  },
}

for (const [what, { path, body, own, headers }] of Object.entries(ENDPOINTS))
  test(`${what}: five failures with fields of one’s own, and plain requests still reach the provider`, async () => {
    const [anna, ben] = await Promise.all([`anna ${what}`, `ben ${what}`].map(owner))
    for (let time = 0; time < 7; time++) await anna!(path, { ...body, ...own }, headers)
    assert.equal(provider.requests.length, 5)
    for (const ask of [anna!, ben!]) {
      provider.requests.length = 0
      await ask(path, body)
      assert.equal(provider.requests.length, 1)
    }
  })

/** Begins an answer, and closes the connection in the middle of it. */
const breaksOff: Behaviour = ({ path }, response) => {
  const isSpeech = path.endsWith('/speech')
  response.writeHead(200, { 'content-type': isSpeech ? 'audio/mpeg' : 'text/event-stream' })
  response.write('data: {"type":"transcript.text.delta","delta":"a"}\n\n', () => hangUp(response, 'rst'))
}

const AUDIO: Record<string, () => [string, object | FormData]> = {
  speech: () => ['audio/speech', { model: 'openai/gpt-4o-mini-tts', input: 'Hello', voice: 'alloy' }],
  'streamed transcriptions': () => {
    const form = new FormData()
    form.set('model', 'openai/gpt-4o-mini-transcribe')
    form.set('stream', 'true')
    form.set('file', new Blob(['RIFF']), 'a.wav')
    return ['audio/transcriptions', form]
  },
}

for (const [what, request] of Object.entries(AUDIO))
  test(`${what}: five answers that break off open the circuit`, async () => {
    const ask = await owner(what)
    provider.always(breaksOff)
    for (let time = 0; time < 7; time++) await ask(...request())
    assert.equal(provider.requests.length, 5)
  })

async function owner(name: string) {
  const { key } = await admin.issue({ name, owner: name })
  return async (path: string, body: object | FormData, headers: Record<string, string> = {}) => {
    const isForm = body instanceof FormData
    const response = await fetch(`${gateway.url}/v3/${path}`, {
      method: 'POST',
      headers: { ...(!isForm && { 'content-type': 'application/json' }), authorization: `Bearer ${key}`, ...headers },
      body: isForm ? body : JSON.stringify(body),
    })
    // An answer that breaks off is an error here.
    await response.text().catch(() => undefined)
  }
}
