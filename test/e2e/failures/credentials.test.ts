import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { Circuits } from '../../../src/calls/attempts/circuits.ts'
import { RetryBudget } from '../../../src/calls/attempts/retry-budget.ts'
import { answer, type Behaviour, failure } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { openGateway } from '../../rehearse/open-gateway.ts'
import { textUntilError } from '../../gateway/chat-client.ts'

// A provider with two credentials, weighted three to one.

const SECRETS = { a: 'plain.words.of.the.first', b: 'other.words.of.the.second' }
const CHECKED = 'gatehouse'
let now = 1_000_000
const waits: number[] = []

const provider = await startFakeProvider()
const gateway = await openGateway({
  config: {
    providers: { fake: { dialect: 'openai', baseUrl: provider.url, auth: { scheme: 'bearer', env: 'FAKE_API_KEY' } } },
    credentials: { fake: [{ env: 'KEY_A', weight: 3 }, { env: 'KEY_B' }] },
  },
  env: { KEY_A: SECRETS.a, KEY_B: SECRETS.b },
  overrides: {
    circuits: new Circuits(() => now),
    retries: new RetryBudget({ toBeginWith: 1_000 }),
    sleep: async (ms) => void waits.push(ms),
  },
})
after(async () => {
  await provider.close()
  await gateway.close()
})
beforeEach(() => {
  provider.reset()
  waits.length = 0
})

let models = 0
let conversations = 0

test('conversations are shared three to one, and each stays with its credential', async () => {
  const ask = asking()
  for (let time = 0; time < 100; time++) await ask()
  const ofB = keysUsed().split('b').length - 1
  assert.ok(ofB > 12 && ofB < 40, `${ofB}`)
  for (let conversation = 0; conversation < 20; conversation++) {
    provider.reset()
    const messages = [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: `Conversation ${conversation}` },
    ]
    for (let turn = 0; turn < 3; turn++) {
      await ask({ messages: [...messages] })
      messages.push({ role: 'assistant', content: `Answer ${turn}` }, { role: 'user', content: `Turn ${turn}` })
    }
    assert.match(keysUsed(), /^(aaa|bbb)$/)
  }
})

test('a conversation leaves its credential only while that is not healthy', async () => {
  const ask = asking()
  const conversation = { messages: [{ role: 'user', content: 'The first one, please' }] }
  provider.always(onlyFor('a', failure(429, {}, { 'retry-after': '5' })))
  await ask(conversation)
  await ask(conversation)
  assert.equal(keysUsed(), 'abb')
  provider.reset()
  now += 5_000
  await ask(conversation)
  assert.equal(keysUsed(), 'a')
})

for (const isStreamed of [false, true]) {
  test(`429: the other one at once, and the first rests for a second (stream: ${isStreamed})`, async () => {
    const ask = asking()
    provider.always(onlyFor('a', failure(429)))
    for (let time = 0; time < 4; time++) assert.equal((await ask({ stream: isStreamed })).status, 200)
    assert.deepEqual([keysUsed().split('a').length - 1, waits], [1, []])
    provider.reset()
    now += 1_000
    for (let time = 0; time < 8; time++) await ask()
    assert.match(keysUsed(), /a/)
  })
}

test('429 with Retry-After: the credential rests for that time', async () => {
  const ask = asking()
  provider.always(onlyFor('a', failure(429, {}, { 'retry-after': '7' })))
  for (let time = 0; time < 8; time++) assert.equal((await ask()).status, 200)
  assert.equal(keysUsed().split('a').length - 1, 1)
  provider.reset()
  now += 6_999
  for (let time = 0; time < 8; time++) await ask()
  assert.equal(keysUsed(), 'bbbbbbbb')
  now += 1
  for (let time = 0; time < 8; time++) await ask()
  assert.match(keysUsed(), /a/)
})

for (const status of [401, 402, 403]) {
  test(`${status}: the other one answers, and the refused one rests for a minute`, async () => {
    const ask = asking()
    provider.always(onlyFor('a', failure(status)))
    for (let time = 0; time < 8; time++) assert.equal((await ask()).status, 200)
    assert.equal(keysUsed().split('a').length - 1, 1)
    provider.reset()
    now += 59_999
    for (let time = 0; time < 8; time++) await ask()
    assert.equal(keysUsed(), 'bbbbbbbb')
    now += 1
    for (let time = 0; time < 8; time++) await ask()
    assert.match(keysUsed(), /a/)
  })
}

test('both are refused: one error that names neither, each tried once, then none', async () => {
  const ask = asking()
  provider.always((request, response) => {
    const quoted = `Incorrect API key provided: ${request.headers.authorization}`
    return failure(401, { message: quoted, code: 'invalid_api_key' })(request, response)
  })
  const first = await ask()
  assert.deepEqual([first.status, first.failure.error.code], [502, 'upstream_auth'])
  assert.deepEqual([...keysUsed()].sort(), ['a', 'b'])
  const second = await ask()
  assert.deepEqual([second.status, second.failure.error.code, provider.requests.length], [502, 'upstream_auth', 2])
  refuseSecrets(first.text, second.text)
})

test('an error with one credential that quotes the other is redacted, whole or streamed', async () => {
  const both = `${SECRETS.a} and ${SECRETS.b} of ${CHECKED}`
  for (const behaviour of [failure(400, { message: both, param: both, code: both }), failure(500, { message: both })]) {
    provider.always(behaviour)
    const { text } = await asking()()
    assert.match(text, new RegExp(CHECKED))
    refuseSecrets(text)
  }
  provider.always(stream([...textEvents('Hello there').slice(0, 2), { error: { message: both } }]))
  const { text } = await asking()({ stream: true })
  assert.match(text, new RegExp(CHECKED))
  refuseSecrets(text)
})

test('with a fallback the last refused credential still ends in the other model', async () => {
  provider.always((request, response) => {
    const { model } = request.body as { model: string }
    return (model === 'well' ? answer() : failure(403))(request, response)
  })
  const { completion, headers } = await asking()({ fallbacks: ['fake/well'] })
  assert.deepEqual([completion.model, headers.get('x-gatehouse-attempts')], ['fake/well', '3'])
})

test('no secret in any log line', async () => {
  await gateway.idle()
  refuseSecrets(gateway.gateway.logs())
  assert.ok(gateway.gateway.logs().length > 0)
})

/** A new model for each test, and a new conversation for each request. */
function asking() {
  const model = `fake/model${models++}`
  return async (more: { stream?: boolean; fallbacks?: string[]; messages?: object[] } = {}) => {
    const messages = [{ role: 'user', content: `Hello ${conversations++}` }]
    if (!more.stream) return gateway.chat.whole({ messages, model, ...more })
    const response = await gateway.chat.post({ messages, model, ...more })
    const [text, { status, headers }] = [await textUntilError(response.body!), response]
    return { status, headers, text, completion: {} as never, failure: {} as never }
  }
}

/** All other requests get an answer, whole or streamed as requested. */
function onlyFor(key: keyof typeof SECRETS, behaviour: Behaviour): Behaviour {
  return (request, response) => {
    if (request.headers.authorization === `Bearer ${SECRETS[key]}`) return behaviour(request, response)
    const { stream: isStreamed } = request.body as { stream?: boolean }
    return (isStreamed ? stream(textEvents('Hello.')) : answer())(request, response)
  }
}

function keysUsed(): string {
  return provider.requests.map(({ headers }) => (headers.authorization === `Bearer ${SECRETS.a}` ? 'a' : 'b')).join('')
}

function refuseSecrets(...texts: string[]): void {
  for (const text of texts) for (const secret of Object.values(SECRETS)) assert.ok(!text.includes(secret), text)
}
