import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { Circuits } from '../../../src/calls/attempts/circuits.ts'
import { RetryBudget } from '../../../src/calls/attempts/retry-budget.ts'
import { ConnectProbe } from '../../../src/platform/net/connect-probe.ts'
import { answer, type Behaviour, failure, silence } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { type SeenRequest, startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { openGateway } from '../../rehearse/open-gateway.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { closedPort } from '../../gateway/gateway-with-fakes.ts'
import { MINUTE_MS } from '../../../src/base/units/units.ts'

// Nothing that one owner does, deliberately or not, keeps other owners from a provider. Anna does it; Ben and Carl use the
// same model. The provider has two credentials, and the test controls the clock of the circuits.

const OPEN_MS = 20_000
const SECRETS = { a: 'plain.words.of.the.first', b: 'other.words.of.the.second' }
/** Anna's requests name her in the `user` of the body, which providers read. */
const BY_ANNA = { user: 'anna' }
let now = 1_000_000
const looks: Promise<boolean>[] = []

const provider = await startFakeProvider()
const probe = new ConnectProbe(() => now)
const FAKE = { dialect: 'openai', baseUrl: provider.url, auth: { scheme: 'bearer', env: 'FAKE_API_KEY' } }
const KEYS = [{ env: 'KEY_A' }, { env: 'KEY_B' }]
const gateway = await openGateway({
  config: {
    providers: {
      fake: FAKE,
      hasty: FAKE,
      gone: { dialect: 'openai', baseUrl: `http://127.0.0.1:${await closedPort()}/v1` },
    },
    credentials: { fake: KEYS, hasty: KEYS },
    timeouts: { hasty: { firstTokenMs: 25 } },
  },
  env: { KEY_A: SECRETS.a, KEY_B: SECRETS.b },
  overrides: {
    circuits: new Circuits(() => now, { canConnect }),
    retries: new RetryBudget({ toBeginWith: 1_000 }),
    sleep: async () => {},
  },
})
const admin = adminClient(gateway.gateway.adminUrl)
const [anna, ben, carl] = await Promise.all(['anna', 'ben', 'carl'].map((owner) => asker(owner)))
after(async () => {
  await provider.close()
  await gateway.close()
})
beforeEach(() => {
  provider.reset()
  now += 10 * MINUTE_MS
})

let models = 0
let conversations = 0
/** So many conversations that each credential has some. */
const OFTEN = 16

type Attack = {
  more: object
  headers?: Record<string, string>
  behaviour: Behaviour
  stream?: boolean
  /** `hasty` waits only a moment for the first token of a stream while another model is left. */
  provider?: 'fake' | 'hasty'
}

const ATTACKS: Record<string, Attack> = {
  'a header of her own that is refused': {
    more: { extra_headers: { 'x-feature': 'bogus' } },
    behaviour: only(({ headers }) => headers['x-feature'] === 'bogus', failure(401)),
  },
  'a field of her own that is refused as forbidden': {
    more: { beta_feature: true },
    behaviour: only(({ body }) => 'beta_feature' in (body as object), failure(403)),
  },
  'a field in extra_body that breaks the provider': {
    more: { extra_body: { poison: true } },
    behaviour: only(({ body }) => 'poison' in (body as object), failure(500)),
  },
  'words that break the provider': {
    more: BY_ANNA,
    behaviour: only(byAnna, failure(500)),
  },
  'words that make the provider hang up': {
    more: BY_ANNA,
    behaviour: only(byAnna, (_, response) => void response.socket?.destroy()),
  },
  'a slow stream with a fallback': {
    more: { ...BY_ANNA, fallbacks: ['fake/well'] },
    behaviour: only(byAnna, silence()),
    provider: 'hasty',
    stream: true,
  },
  'a time limit of her own': {
    more: BY_ANNA,
    headers: { 'x-gatehouse-timeout-ms': '10' },
    behaviour: only(byAnna, silence()),
  },
  'more requests than she may send, and a day to wait': {
    more: BY_ANNA,
    behaviour: only(byAnna, failure(429, {}, { 'retry-after': '86400' })),
  },
  'an account that may not use this': {
    more: BY_ANNA,
    behaviour: only(byAnna, failure(403)),
  },
}

for (const [what, attack] of Object.entries(ATTACKS))
  test(`${what}: the others reach the model at once, with both credentials`, async () => {
    const { more, headers, behaviour, stream: isStreamed = false, provider: name } = attack
    const model = newModel(name)
    provider.always(behaviour)
    for (let time = 0; time < 12; time++) await anna!({ model, ...more, stream: isStreamed }, headers)
    provider.requests.length = 0
    for (let time = 0; time < OFTEN; time++) {
      const ask = time % 2 ? ben! : carl!
      const { status, attempts } = await ask({ model, stream: isStreamed })
      assert.deepEqual([status, attempts], [200, '1'])
    }
    // A request of hers that was given up may arrive late.
    const seen = provider.requests.filter((request) => !byAnna(request))
    assert.deepEqual(seen.map(modelOf), Array(OFTEN).fill(model.split('/')[1]))
    assert.equal(keysUsed().length, 2)
    assert.equal(gateway.metric('gatehouse_circuits_open_for_everyone'), 0)
  })

for (const what of ['a header of her own that is refused', 'a field in extra_body that breaks the provider'])
  test(`${what}: her own plain requests reach the model as well`, async () => {
    const model = newModel()
    const { more, behaviour } = ATTACKS[what]!
    provider.always(behaviour)
    for (let time = 0; time < 12; time++) await anna!({ model, ...more })
    provider.requests.length = 0
    for (let time = 0; time < OFTEN; time++) assert.deepEqual((await anna!({ model })).status, 200)
    assert.deepEqual([provider.requests.length, keysUsed().length], [OFTEN, 2])
  })

test('an outage that two owners meet with is one for everyone; one owner cannot make it longer', async () => {
  const model = newModel()
  provider.always(failure(503))
  for (const ask of [anna!, ben!]) for (let time = 0; time < 12; time++) await ask({ model })
  provider.requests.length = 0
  const { status, attempts } = await carl!({ model })
  assert.deepEqual([status, attempts, provider.requests.length], [503, '0', 0])
  assert.equal(gateway.metric('gatehouse_circuits_open_for_everyone'), 2)
  const { text, body } = await admin.get<{ circuits: { model: string; for_everyone: string }[] }>('/admin/targets')
  const shown = body.circuits.filter((one) => one.model === model)
  assert.deepEqual(new Set(shown.map(({ for_everyone }) => for_everyone)), new Set(['open']))
  assert.doesNotMatch(text, /"(anna|ben|carl)"/)
  now += OPEN_MS
  provider.always(only(byAnna, failure(500)))
  assert.equal((await anna!({ model, ...BY_ANNA })).status, 502)
  for (const ask of [carl!, ben!]) assert.equal((await ask({ model })).status, 200)
})

test('an address that refuses connections: the failures of one owner and our own probe open the circuit for all owners', async () => {
  const model = `gone/model${models++}`
  for (let time = 0; time < 5; time++) await anna!({ model })
  assert.deepEqual(await Promise.all(looks), [false])
  assert.deepEqual([(await carl!({ model })).status, (await carl!({ model })).attempts], [503, '0'])
})

test('a key of the sandbox neither opens nor closes what stands for the real model', async () => {
  const model = newModel()
  const simulated = await asker('carl', { kind: 'sandbox' })
  provider.always(failure(503))
  for (let time = 0; time < 12; time++) await carl!({ model })
  assert.equal((await simulated({ model })).status, 200)
  provider.requests.length = 0
  assert.deepEqual([(await carl!({ model })).attempts, provider.requests.length], ['0', 0])
})

/** A client of one owner. */
async function asker(owner: string, more: object = {}) {
  const { key } = await admin.issue({ name: owner, owner, ...more })
  return async (body: object, headers: Record<string, string> = {}) => {
    const asking = { headers: { authorization: `Bearer ${key}`, ...headers } }
    const messages = [{ role: 'user', content: `Hello ${conversations++}` }]
    const response = await gateway.chat.post({ messages, ...body }, asking)
    await response.text()
    return { status: response.status, attempts: response.headers.get('x-gatehouse-attempts') }
  }
}

function newModel(name = 'fake'): string {
  return `${name}/model${models++}`
}

/** All other requests get an answer, whole or streamed as requested. */
function only(isIntended: (request: SeenRequest) => boolean, behaviour: Behaviour): Behaviour {
  return (request, response) => {
    if (modelOf(request) !== 'well' && isIntended(request)) return behaviour(request, response)
    const { stream: isStreamed } = request.body as { stream?: boolean }
    return (isStreamed ? stream(textEvents('Hello.')) : answer())(request, response)
  }
}

function byAnna({ body }: SeenRequest): boolean {
  return (body as { user?: string }).user === BY_ANNA.user
}

function modelOf({ body }: SeenRequest): string {
  return (body as { model: string }).model
}

function keysUsed(): unknown[] {
  return [...new Set(provider.requests.map(({ headers }) => headers.authorization))]
}

function canConnect(address: string): Promise<boolean> {
  const look = probe.canConnect(address)
  looks.push(look)
  return look
}
