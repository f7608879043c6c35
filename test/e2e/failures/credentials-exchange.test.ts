import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { Behaviour } from '../../fakes/behaviours.ts'
import { answer, failure, status } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { chatClient, HELLO } from '../../gateway/chat-client.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'
import { HOUR_MS } from '../../../src/base/units/units.ts'

// Credentials that are exchanged for access tokens. One server is the token endpoint and both providers.

const KEYS = { ibm: 'key.of.ibm.in.plain.words', sber: 'a2V5IG9mIHNiZXI6IHBsYWlu' }
let now = Date.now()
let tokens = 0

const fake: FakeProvider = await startFakeProvider({ everyPath: true })
const base = fake.url.replace(/\/v1$/, '')
const gateway = await startGateway({
  env: {
    WATSONX_API_KEY: KEYS.ibm,
    WATSONX_SPACE_ID: 'space-1',
    WATSONX_BASE_URL: `${base}/ml/v1`,
    WATSONX_TOKEN_URL: `${base}/identity/token`,
    GIGACHAT_CREDENTIALS: KEYS.sber,
    GIGACHAT_BASE_URL: `${base}/api/v1`,
    GIGACHAT_TOKEN_URL: `${base}/oauth`,
  },
  overrides: { now: () => now, monotonic: () => now },
})
const chat = chatClient(gateway.url)
after(async () => {
  await gateway.close()
  await fake.close()
})
beforeEach(() => {
  now += HOUR_MS
  tokens = 0
  fake.reset()
  fake.always(setup())
})

const granite = { ...HELLO, model: 'watsonx/ibm/granite-4-h-small' }
const giga = { ...HELLO, model: 'gigachat/GigaChat-2' }

test('several calls at once share one question, whole and streamed, and each in the words of the provider', async () => {
  const calls = await Promise.all([chat.whole(granite), chat.whole(granite), chat.stream(granite)])
  assert.deepEqual(
    calls.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.deepEqual([requestedPaths('/identity').length, (calls[2] as { done: number }).done], [1, 1])
  const requests = requestedPaths('/ml/v1/text/')
  assert.deepEqual(new Set(requests.map(({ headers }) => headers.authorization)), new Set(['Bearer token-1']))
  assert.deepEqual(
    new Set(requests.map(({ path }) => path.replace(/\?.*/, ''))),
    new Set(['/ml/v1/text/chat', '/ml/v1/text/chat_stream']),
  )
  for (const { body } of requests)
    assert.deepEqual(Object.keys(body as object).sort(), ['messages', 'model_id', 'space_id'])
})

test('a token is used until shortly before its end', async () => {
  await chat.whole(giga)
  now += HOUR_MS / 2 - 301_000
  await chat.whole(giga)
  assert.equal(requestedPaths('/oauth').length, 1)
  now += 181_000
  assert.equal((await chat.whole(giga)).status, 200)
  assert.deepEqual(
    requestedPaths('/api/v1').map(({ headers }) => headers.authorization),
    ['Bearer token-1', 'Bearer token-1', 'Bearer token-2'],
  )
})

test('a token that is refused before its time fails one call, and the next has another', async () => {
  fake.always(setup({ refuses: 'token-1' }))
  assert.equal((await chat.whole(granite)).failure.error.code, 'upstream_auth')
  assert.equal((await chat.whole(granite)).status, 200)
})

for (const [what, behaviour] of Object.entries({
  'a key that the token endpoint refuses': status(400, {
    errorCode: 'BXNIM0415E',
    errorMessage: `no such key ${KEYS.ibm}`,
  }),
  'a token endpoint that answers HTML': status(200, '<!doctype html>'),
}))
  test(`${what}: the log says where to look, no provider is called, and the key is not revealed`, async () => {
    fake.always(behaviour)
    const whole = await chat.whole(granite)
    const streamed = await chat.stream(granite)
    assert.deepEqual([whole.status, whole.failure.error.code, streamed.status], [502, 'upstream_auth', 502])
    assert.match(whole.failure.error.message, /WATSONX_API_KEY/)
    assert.deepEqual(requestedPaths('/ml').length, 0)
    for (const text of [whole.text, streamed.text, gateway.logs()]) assert.ok(!text.includes(KEYS.ibm))
  })

test('a failing token endpoint: a fallback answers, and without one the error does not mention the credential', async () => {
  fake.always((request, response) => {
    return (request.path.startsWith('/identity') ? failure(500) : setup())(request, response)
  })
  assert.equal((await chat.whole(granite)).failure.error.code, 'upstream_error')
  assert.equal((await chat.whole({ ...granite, fallbacks: [giga.model] })).completion.model, giga.model)
})

test('a caller that leaves does not wait for a token, and the others still get it', async () => {
  let give = () => {}
  const held = new Promise<void>((resolve) => {
    give = resolve
  })
  fake.always(async (request, response) => {
    if (request.path.startsWith('/identity')) await held
    return setup()(request, response)
  })
  const leaving = new AbortController()
  const left = chat.post(granite, { signal: leaving.signal }).catch((error: Error) => error.name)
  const stays = chat.whole(granite)
  await fake.request(0)
  leaving.abort()
  assert.equal(await left, 'AbortError')
  give()
  assert.deepEqual([(await stays).status, requestedPaths('/identity').length], [200, 1])
})

/** Hands out numbered tokens, and answers every request with one. */
function setup({ refuses = '' } = {}): Behaviour {
  return (request, response) => {
    const { path, headers } = request
    if (path.startsWith('/identity') || path.startsWith('/oauth')) {
      const access_token = `token-${++tokens}`
      const lives = path.startsWith('/oauth') ? { expires_at: now + HOUR_MS / 2 } : { expires_in: HOUR_MS / 1_000 }
      return status(200, { access_token, ...lives })(request, response)
    }
    if (!/^Bearer token-\d+$/.test(headers.authorization ?? '') || headers.authorization === `Bearer ${refuses}`)
      return failure(401)(request, response)
    return (path.includes('chat_stream') ? stream(textEvents('Hello.'), { end: 'clean' }) : answer())(request, response)
  }
}

function requestedPaths(start: string) {
  return fake.requests.filter(({ path }) => path.startsWith(start))
}
