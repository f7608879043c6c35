import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { PROVIDERS } from '../../src/platform/providers/providers.ts'
import type { LedgerLine } from '../../src/platform/store/ledger/ledger-line.ts'
import { ASKS, CHATS, NATIVES } from '../fakes/exchanges/chats.ts'
import { ENDPOINTS } from '../fakes/exchanges/endpoints.ts'
import type { Exchange } from '../fakes/exchanges/exchange.ts'
import { IMAGES } from '../fakes/exchanges/images.ts'
import { TASKS } from '../fakes/exchanges/tasks.ts'
import { type HostileCase, hostileCases, picked } from '../fakes/hostile-cases.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { rowPerDialect } from '../gateway/gateway-with-rows.ts'

// Valid answers of providers and valid bodies of callers in which one value was replaced by a hostile one. The outcome is
// never an internal error of the gateway, and the bill has only finite numbers.

/** How many cases of each exchange `npm run soak` tries; `npm test` tries one of some exchanges. */
const MANY = 40
/** More than any of these calls can cost or count. */
const TOO_MUCH = 1e12

let gateway: GatewayUnderTest
let provider: FakeProvider
let folder: string
let lines: LedgerLine[] = []
const surprises: unknown[] = []
const surprised = (error: unknown) => void surprises.push(error)

before(async () => {
  process.on('unhandledRejection', surprised)
  provider = await startFakeProvider({ everyPath: true })
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-hostile-'))
  const file = join(folder, 'gatehouse.config.json')
  const rows = rowPerDialect({ baseUrl: provider.url, models: [{ id: 'm', price: { input: 1, output: 2 } }] })
  await writeFile(file, JSON.stringify({ providers: { ...rows, openai: { responses: true } } }))
  const settings = Object.assign({}, ...Object.keys(PROVIDERS).map(settingsOf))
  const env = { ...settings, AWS_SECRET_ACCESS_KEY: 'x', ALLOW_NETWORKS: '127.0.0.0/8', GATEHOUSE_CONFIG: file }
  gateway = await startGateway({ env, dataDir: join(folder, 'data') })
  watchLedger()
})
beforeEach(() => provider.reset())
after(async () => {
  process.off('unhandledRejection', surprised)
  // Values that are passed on as they came are not as documented, so this gateway is closed without that comparison.
  await gateway.gateway.close()
  await provider.close()
  await rm(folder, { recursive: true })
})

test('every exchange is valid before it is changed', async () => {
  for (const exchange of [...ASKS, ...NATIVES, ...IMAGES, ...ENDPOINTS, ...TASKS]) {
    const { status, text } = await send(exchange)
    assert.equal(status, 200, `${exchange.name}: ${text}`)
  }
})

test('any value at any place of an answer causes no internal error', async () => {
  for (const exchange of [...picked(CHATS, 100), ...picked([...NATIVES, ...IMAGES, ...ENDPOINTS, ...TASKS], 60)])
    for (const hostile of answersIn(exchange)) await neverSurprised(hostile)
})

test('any value at any place of a body causes no internal error', async () => {
  for (const exchange of picked([...ASKS, ...NATIVES, ...ENDPOINTS, ...TASKS], 200))
    for (const { text, name } of hostileCases(JSON.stringify(exchange.body), 1, 10 * MANY))
      await neverSurprised({ exchange, name, body: text })
})

test('speech whose rate no file can name has the usual one', async () => {
  const spoken = ENDPOINTS.find(({ name }) => name === 'speech, gemini')!
  const answer = String(spoken.answer).replace('rate=24000', 'rate=99999999999')
  for (const [response_format, type] of Object.entries({ wav: 'audio/wav', pcm: 'audio/pcm;rate=24000' })) {
    const reply = await send({ ...spoken, body: { ...spoken.body, response_format }, answer })
    assert.deepEqual([reply.status, reply.type], [200, type], reply.text)
  }
})

type Hostile = { exchange: Exchange; name: string; body?: string }

/** Of a stream, one event is changed. */
function* answersIn(exchange: Exchange): Generator<Hostile> {
  const { answer } = exchange
  if (typeof answer === 'string') {
    for (const { text, name } of hostileCases(answer, 1, MANY)) yield { exchange: { ...exchange, answer: text }, name }
    return
  }
  for (const event of picked([...answer.keys()], 1))
    for (const { text, name } of casesOfEvent(answer[event]!))
      yield { exchange: { ...exchange, answer: answer.with(event, text) }, name }
}

function casesOfEvent(event: string): HostileCase[] {
  const [, data = ''] = /^data: (\{.*)$/m.exec(event) ?? []
  if (data === '') return []
  const cases = [...hostileCases(data, 1, MANY / 10)]
  return cases.map(({ text, name }) => ({ text: event.replace(data, () => text), name }))
}

async function neverSurprised({ exchange, name, body }: Hostile): Promise<void> {
  lines = []
  const { status, text, type } = await send(exchange, body)
  const said = `${exchange.name}: ${name}: ${status} ${text.slice(0, 500)}`
  assert.ok(status !== 500 && !text.includes('internal_error'), said)
  if (type?.startsWith('application/json')) assert.doesNotThrow(() => JSON.parse(text), said)
  assert.deepEqual(surprises, [], said)
  for (const line of lines) assert.deepEqual(oddNumbersOf(line), [], said)
}

function oddNumbersOf(line: LedgerLine): [string, unknown][] {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens, cost, providerCost } = line
  const counts = { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens, ...line.moreTokens }
  return Object.entries({ ...counts, cost, providerCost }).filter(
    ([, value]) => value !== null && !(value >= 0 && value < TOO_MUCH),
  )
}

async function send({ path, body, answer }: Exchange, text = JSON.stringify(body)) {
  provider.always((_, response) => {
    const type = typeof answer === 'string' ? 'application/json' : 'text/event-stream'
    response.writeHead(200, { 'content-type': type }).end(typeof answer === 'string' ? answer : answer.join(''))
  })
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const response = await fetch(gateway.url + path, { method: 'POST', headers, body: text })
  // A stream that failed ends without its last chunk.
  const said = await response.text().catch(() => '')
  return { status: response.status, text: said, type: response.headers.get('content-type') }
}

/** The lines as they are written: in JSON, a number that is none becomes null. */
function watchLedger(): void {
  const { ledger } = gateway.gateway.services.calls
  const record = ledger.record.bind(ledger)
  ledger.record = (line) => {
    lines.push(line)
    record(line)
  }
}

/** Every provider is at the address of the fake, but for those whose credential is a file. */
function settingsOf(id: string): Record<string, string> {
  const { auth, baseUrlEnv } = PROVIDERS[id]!
  if (!auth.env || auth.env.endsWith('CREDENTIALS')) return {}
  const variable = baseUrlEnv ?? `${auth.env.replace(/_(API_KEY|TOKEN|KEY)$/, '')}_BASE_URL`
  return { [auth.env]: 'key-0123456789', [variable]: provider.url }
}
