import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as fake from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { textUntilError } from '../../gateway/chat-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

const CANARIES = {
  providerKey: 'sk-canary-Provider+Key/0123456789=',
  clientKey: 'canary client key / of=the+operator',
  adminKey: 'canary admin key / of=the+operator',
  databasePassword: 'canary-database=password',
  prompt: 'canary prompt: the launch code is 7/7+7',
  answer: 'canary answer: it was the butler / in the kitchen',
  headerValue: 'canary header value=1/2+3',
  query: 'canary-query-string=1',
}

const { providerKey, clientKey, adminKey } = CANARIES
const MAX_LINE_CHARS = 8_192
const LONG = 1_000_000

/** Everything that a provider may do, often with our own key in its answer. */
const MISDEEDS: Record<string, fake.Behaviour> = {
  'a bad request that quotes the key': fake.failure(400, { message: `Key ${providerKey} may not do this` }),
  'a bad request that quotes a URL with the key': fake.failure(400, {
    message: `POST https://x.test/v1?key=${providerKey} failed`,
  }),
  'a wrong key': fake.failure(401, { message: `Incorrect API key provided: ${providerKey}`, code: 'invalid_api_key' }),
  'a forbidden one': fake.failure(403, { message: `Bearer ${providerKey} is not allowed` }),
  'an unknown model': fake.failure(404, { message: `no such model for ${providerKey}`, code: 'model_not_found' }),
  'a text that is too long': fake.failure(400, {
    message: `maximum context length, ${providerKey}`,
    code: 'context_length_exceeded',
  }),
  'too many requests': fake.failure(429, { message: `slow down, ${providerKey}` }, { 'retry-after': '2' }),
  'an error of its own': fake.failure(500, { message: `stack at handler(${providerKey})` }),
  'an error in words': fake.status(500, `Traceback: Authorization: Bearer ${providerKey}`),
  'an error with status 200': fake.status(200, { error: { message: `denied ${providerKey}`, code: 'x' } }),
  'a page': fake.html(502),
  nothing: fake.emptyBody(200),
  'something else': fake.status(200, { hello: providerKey }),
  'half an answer': fake.rawBytes(
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"choi',
    'rst',
  ),
  'no HTTP': fake.rawBytes(`${providerKey}\r\n\r\n`),
  'a hang-up': fake.closeBeforeHeaders('rst'),
  'a way elsewhere': fake.redirect(`https://elsewhere.test/?key=${providerKey}`),
  'a stream that breaks': stream(textEvents(CANARIES.answer).slice(0, 3), { end: 'rst' }),
  'a stream with an error in it': stream([
    ...textEvents(CANARIES.answer).slice(0, 3),
    { error: { message: `bad ${providerKey}` } },
  ]),
}

describe('secrets', () => {
  let gateway: GatewayUnderTest
  let provider: FakeProvider
  let issued: string
  const bodies: string[] = []
  before(async () => {
    provider = await startFakeProvider()
    gateway = await startGateway({
      env: {
        OPENAI_API_KEY: providerKey,
        OPENAI_BASE_URL: provider.url,
        GATEHOUSE_API_KEY: clientKey,
        GATEHOUSE_ADMIN_KEY: adminKey,
      },
    })
    issued = (await adminClient(gateway.adminUrl, adminKey).issue({ name: 'canary' })).key
  })
  after(async () => {
    await gateway.close()
    await provider.close()
  })

  test('successes: whole and streamed, by both kinds of keys', async () => {
    provider.next(fake.answer({ content: CANARIES.answer }))
    assert.equal((await chat({})).status, 200)
    provider.next(stream(textEvents(CANARIES.answer)))
    assert.equal((await chat({ stream: true }, issued)).status, 200)
    assert.equal(provider.requests[0]!.headers['x-canary'], CANARIES.headerValue)
    assert.equal(provider.requests[0]!.headers.authorization, `Bearer ${providerKey}`)
  })

  for (const [name, behaviour] of Object.entries(MISDEEDS)) {
    test(`a provider answers with ${name}, to a whole call and to a stream`, async () => {
      provider.always(behaviour)
      for (const streamed of [false, true]) {
        const { status, text } = await chat({ stream: streamed })
        assert.ok(status >= 400 || text.includes('"error"'), text)
        bodies.push(text.replaceAll(/"content":"[^"]*"/g, ''))
      }
    })
  }

  test('requests that are refused before any call', async () => {
    const before = provider.requests.length
    const refused = [
      chat({}, `${clientKey}x`),
      chat({}, `${issued.slice(0, -1)}_`),
      chat({}, adminKey),
      chat({ messages: [{ role: 'user', content: { text: CANARIES.prompt } }] }),
      chat({ messages: CANARIES.prompt }),
      chat({ temperature: CANARIES.prompt }),
      chat({ extra_headers: { authorization: CANARIES.headerValue } }),
      chat({ extra_headers: { 'x-canary': `${CANARIES.headerValue}\r\nx: y` } }),
      chat({ pre_hooks: [{ action: 'x', params: { text: CANARIES.prompt } }] }),
      send('/v3/chat/completions', `{"model":"openai/x","messages":"${CANARIES.prompt}",,}`),
      send(`/v3/nothing?${CANARIES.query}`, '{}'),
      send('/v3/chat/completions', Buffer.from(`\xff${CANARIES.prompt}`, 'latin1')),
    ]
    for (const { status, text } of await Promise.all(refused)) {
      assert.ok(status >= 400 && status < 500, text)
      bodies.push(text)
    }
    const admin = adminClient(gateway.adminUrl, adminKey)
    for (const reply of [
      await admin.post('/admin/keys', { name: 1, [CANARIES.query]: 1 }),
      await admin.get(`/admin/keys?limit=${CANARIES.query}`),
    ]) {
      assert.equal(reply.status, 422)
    }
    assert.equal(provider.requests.length, before)
  })

  test('a caller who leaves ends its calls at the provider', async () => {
    const seen = provider.requests.length
    provider.always(fake.silence())
    const leaving = new AbortController()
    const calls = [false, true].map((streamed) => chat({ stream: streamed }, clientKey, leaving.signal))
    const upstream = await Promise.all([provider.request(seen), provider.request(seen + 1)])
    leaving.abort()
    await Promise.allSettled(calls)
    await Promise.all(upstream.map(({ closed }) => closed))
  })

  test('after all that, no secret stands in a log line, an error or the metrics, in any writing', async () => {
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    assert.ok(gateway.logs().split('\n').length > 40 && bodies.length > 40)
    for (const [place, text] of Object.entries({ logs: gateway.logs(), bodies: bodies.join('\n'), metrics })) {
      for (const [name, secret] of Object.entries({ ...CANARIES, issued })) {
        for (const form of formsOf(secret)) assert.ok(!text.includes(form), `${place}: ${name} as ${form}`)
      }
    }
    assert.doesNotMatch(bodies.join(), /127\.0\.0\.1|localhost|node_modules|\.ts:\d/)
  })

  test('nothing of this was an unexpected error', () => {
    const unexpected = linesOf(gateway).filter(({ level }) => Number(level) >= 50)
    assert.deepEqual(unexpected, [])
  })

  test('a provider that puts the key into code or param does not get it to the caller', async () => {
    provider.always(fake.failure(400, { message: 'x', code: providerKey, param: providerKey }))
    const { text } = await chat({})
    for (const form of formsOf(providerKey)) assert.ok(!text.includes(form) && !gateway.logs().includes(form))
  })

  test('whatever a model or an error code is called, an event is one line of JSON, and a short one', async () => {
    const names = [
      'a\nb\r\nc',
      '\u001b[31mred\u001b[0m',
      '"},"level":"fatal"',
      '\u2028\u2029\0',
      '\ud800',
      'm'.repeat(LONG),
    ]
    provider.always(fake.failure(400, { message: 'x', code: 'c'.repeat(100_000), param: 'p'.repeat(100_000) }))
    for (const name of names) await chat({ model: `openai/${name}` })
    for (const name of names) await chat({ model: name })
    for (const line of gateway.logs().split('\n').slice(0, -1)) {
      assert.ok(line.length <= MAX_LINE_CHARS, `${line.length} characters: ${line.slice(0, 300)}`)
      assert.equal(typeof JSON.parse(line), 'object')
      assert.ok([...line].every((letter) => letter >= ' '))
    }
  })

  async function chat(fields: object, key = clientKey, signal?: AbortSignal) {
    const messages = [{ role: 'user', content: CANARIES.prompt }]
    const extra_headers = { 'x-canary': CANARIES.headerValue }
    const body = JSON.stringify({ model: 'openai/gpt-4o', messages, extra_headers, ...fields })
    return send(`/v3/chat/completions?${CANARIES.query}`, body, key, signal)
  }

  async function send(path: string, body: string | Buffer, key = clientKey, signal?: AbortSignal) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const asking = { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)), signal: signal ?? null }
    const response = await fetch(gateway.url + path, asking)
    return { status: response.status, text: await textUntilError(response.body!) }
  }
})

test('a database that cannot be reached is reported without its password, user or host', async () => {
  const password = encodeURIComponent(CANARIES.databasePassword)
  const DATABASE_URL = `postgres://canary-user:${password}@localhost:1/canary-database`
  const { logs, close } = await startGateway({ env: { DATABASE_URL } })
  await close()
  assert.match(logs(), /not reachable/)
  assert.doesNotMatch(logs(), /canary/)
  for (const form of formsOf(CANARIES.databasePassword)) assert.ok(!logs().includes(form))
})

/** The secret itself, and encoded forms of it. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('base64').slice(0, -4),
    bytes.toString('base64url').slice(0, -4),
    bytes.toString('hex'),
    [...secret].reverse().join(''),
  ]
}

function linesOf({ logs }: GatewayUnderTest): Record<string, unknown>[] {
  const lines = logs().split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}
