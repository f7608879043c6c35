import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { Circuits } from '../../../src/calls/attempts/circuits.ts'
import { answer, type Behaviour, failure } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { openGateway } from '../../rehearse/open-gateway.ts'
import { HELLO, textUntilError } from '../../gateway/chat-client.ts'

// A target that fails repeatedly is left alone for a while, seen from outside. The test controls the clock of the circuits.

const OPEN_MS = 20_000
let now = 1_000_000

const provider = await startFakeProvider()
const gateway = await openGateway({
  config: {
    providers: { fake: { dialect: 'openai', baseUrl: provider.url, choices: 'one' } },
  },
  overrides: { circuits: new Circuits(() => now) },
})
after(async () => {
  await provider.close()
  await gateway.close()
})
beforeEach(() => provider.reset())

let models = 0

test('open: after five failures no provider is called, and the error says when to retry', async () => {
  const ask = asking()
  provider.always(failure(503))
  for (let time = 0; time < 5; time++) assert.equal((await ask()).status, 503)
  assert.equal(provider.requests.length, 5)
  now += 5_000
  const { status, failure: body, headers } = await ask()
  assert.deepEqual([status, body.error.code, headers.get('retry-after')], [503, 'overloaded', '15'])
  assert.deepEqual([provider.requests.length, headers.get('x-gatehouse-attempts')], [5, '0'])
  assert.equal(gateway.metric('gatehouse_circuits_open'), 1)
  now += OPEN_MS
  assert.equal(gateway.metric('gatehouse_circuits_open'), 0)
})

test('half-open: of many one is let through; when it answers, all are', async () => {
  const ask = await opened()
  now += OPEN_MS
  const { behaviour, release } = held(answer())
  provider.always(behaviour)
  const probe = ask()
  await provider.request(0)
  const others = await Promise.all(Array.from({ length: 5 }, () => ask()))
  assert.deepEqual(new Set(others.map(({ status }) => status)), new Set([503]))
  assert.equal(provider.requests.length, 1)
  release()
  assert.equal((await probe).status, 200)
  provider.always(answer())
  const later = await Promise.all(Array.from({ length: 5 }, () => ask()))
  assert.deepEqual(new Set(later.map(({ status }) => status)), new Set([200]))
})

test('a probe that fails: left alone for another 20 s', async () => {
  const ask = await opened()
  now += OPEN_MS
  provider.always(failure(500))
  assert.equal((await ask()).status, 502)
  now += OPEN_MS - 1
  assert.equal((await ask()).status, 503)
  assert.equal(provider.requests.length, 1)
  now += 1
  provider.always(answer())
  assert.equal((await ask()).status, 200)
})

test('a probe whose client leaves says nothing: the next one is the probe', async () => {
  const ask = await opened()
  now += OPEN_MS
  provider.next(() => {})
  const leave = new AbortController()
  const left = ask({}, leave.signal)
  const { closed } = await provider.request(0)
  leave.abort()
  await assert.rejects(left)
  await closed
  await gateway.idle()
  assert.equal((await ask()).status, 200)
})

const WORDS = textEvents('One two three four.')
const BLOCKED = { post_hooks: [{ action: 'block_patterns', params: { words: ['three'] } }] }
const UNDECIDED: Record<string, { body: object; code: string }> = {
  'whose post hook refuses the answer in the middle of its stream': {
    body: { ...BLOCKED, stream: true },
    code: 'content_blocked',
  },
  'that cannot be encoded for its provider': { body: { n: 17 }, code: 'validation_error' },
  'that cannot be encoded for its provider, as a stream': { body: { n: 17, stream: true }, code: 'validation_error' },
}

for (const [what, { body, code }] of Object.entries(UNDECIDED)) {
  test(`a probe ${what} says nothing: the next one is the probe`, async () => {
    const ask = await opened()
    now += OPEN_MS
    provider.next(stream(WORDS))
    assert.match(await textUntilError((await ask.post(body)).body!), new RegExp(`"code":"${code}"`))
    await gateway.idle()
    provider.reset()
    assert.equal((await ask()).status, 200)
  })
}

test('a probe whose client leaves in the middle of its stream says nothing: the next one is the probe', async () => {
  const ask = await opened()
  now += OPEN_MS
  provider.next(stream(WORDS, { waitFor: new Promise(() => {}), waitAfter: 3 }))
  const leave = new AbortController()
  const left = await ask.post({ stream: true }, { signal: leave.signal })
  assert.equal(left.status, 200)
  const { closed } = await provider.request(0)
  leave.abort()
  await closed
  await gateway.idle()
  assert.equal((await ask()).status, 200)
})

test('an attempt that succeeded, and whose hook refuses the answer at the end, has closed the circuit', async () => {
  const ask = await opened()
  now += OPEN_MS
  provider.next(stream(WORDS))
  const hook = { action: 'json_heal', params: { json_schema: { type: 'object' } } }
  assert.match(await textUntilError((await ask.post({ post_hooks: [hook], stream: true })).body!), /"error"/)
  provider.always(failure(500))
  assert.equal((await ask()).status, 502)
  provider.always(answer())
  assert.equal((await ask()).status, 200, 'one failure does not open it')
})

test('an open circuit is passed over without a call where a fallback can answer', async () => {
  const ask = await opened()
  const { completion, headers } = await ask({ fallbacks: ['fake/well'] })
  assert.deepEqual([completion.model, headers.get('x-gatehouse-attempts')], ['fake/well', '1'])
  assert.equal(provider.requests.length, 1)
})

test('another model of the same provider is another circuit', async () => {
  await opened()
  assert.equal((await asking()()).status, 200)
})

const NO_ILLNESS: Record<string, Behaviour> = {
  '400': failure(400),
  '401': failure(401),
  '404': failure(404),
  '409': failure(409),
  '422': failure(422),
  '429': failure(429),
  'a prompt that is too long': failure(400, { code: 'context_length_exceeded' }),
}

for (const [what, behaviour] of Object.entries(NO_ILLNESS)) {
  test(`${what} is no illness: ten in a row open nothing`, async () => {
    const ask = asking()
    provider.always(behaviour)
    for (let time = 0; time < 10; time++) await ask()
    assert.equal(provider.requests.length, 10)
  })
}

/** A new model for each test. */
function asking() {
  const model = `fake/model${models++}`
  const body = (more: object) => ({ ...HELLO, model, ...more })
  const ask = (more: object = {}, signal?: AbortSignal) => gateway.chat.whole(body(more), signal ? { signal } : {})
  const post = (more: object, options?: Parameters<typeof gateway.chat.post>[1]) => {
    return gateway.chat.post(body(more), options)
  }
  return Object.assign(ask, { post })
}

/** Opens the circuit of a new model with five failures. */
async function opened() {
  const ask = asking()
  provider.always(failure(500))
  for (let time = 0; time < 5; time++) await ask()
  provider.reset()
  return ask
}

function held(behaviour: Behaviour) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const waiting: Behaviour = async (request, response) => {
    await promise
    await behaviour(request, response)
  }
  return { behaviour: waiting, release }
}
