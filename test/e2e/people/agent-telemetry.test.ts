import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { KB, MB } from '../../../src/base/units/units.ts'
import { MemoryBudget } from '../../../src/calls/memory-budget.ts'
import { field, utf8 } from '../../../src/platform/telemetry/otlp/protobuf.ts'
import { type FakeCollector, startCollector } from '../../fakes/collector.ts'
import { signAgentIn } from '../../gateway/agent-client.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { firstOwner } from '../../gateway/people-under-test.ts'

// What coding agents measure goes to the collector of the gateway, with the person and the project.

const [JSON_TYPE, PROTOBUF_TYPE] = ['application/json', 'application/x-protobuf']
const PATHS = { metrics: 'resourceMetrics', logs: 'resourceLogs', traces: 'resourceSpans' } as const

let collector: FakeCollector
let gateway: GatewayUnderTest
let token: string
let folder: string
let GATEHOUSE_CONFIG: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-agents-'))
  GATEHOUSE_CONFIG = join(folder, 'config.json')
  await writeFile(GATEHOUSE_CONFIG, JSON.stringify({ agents: { signIn: true } }))
  collector = await startCollector()
  // Nothing of the gateway itself is sent, so that each export is that of an agent.
  const env = {
    GATEHOUSE_CONFIG,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_METRIC_EXPORT_INTERVAL: '86400000',
    OTEL_TRACES_SAMPLER: 'always_off',
  }
  gateway = await startGateway({ env })
  await firstOwner(gateway)
  token = (await signAgentIn(gateway.url, 'owner@example.com')).access_token
})
afterEach(() => collector.reset())
after(async () => {
  await gateway.close()
  await collector.close()
  await rm(folder, { recursive: true })
})

async function send(signal: string, body: Buffer | string, headers: Record<string, string> = {}, key = token) {
  const answer = await fetch(`${gateway.url}/v3/claude/v1/${signal}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': JSON_TYPE, ...headers },
    body: Buffer.from(body),
  })
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
}

const CLAIMED = [{ key: 'gatehouse.user.id', value: { stringValue: 'eve' } }]

function batch(list: string): string {
  return JSON.stringify({ [list]: [{ resource: { attributes: CLAIMED } }] })
}

const BYTES = Buffer.from(
  field(1, field(1, field(1, field(1, utf8('service.name')) + field(2, field(1, utf8('cc')))))),
  'latin1',
)

type Seen = { resource: { attributes: { key: string; value: { stringValue: string } }[] } }[]

function counted({ gateway: { services } }: GatewayUnderTest, signal: string, outcome: string): number {
  return services.calls.metrics.agentTelemetry.cell([signal, outcome]).value
}

function attributesSeen(list: string): Record<string, string> {
  const [{ body } = assert.fail('the collector has nothing')] = collector.exports
  const [{ resource } = assert.fail('there is no resource')] = body[list] as Seen
  return Object.fromEntries(resource.attributes.map(({ key, value }) => [key, value.stringValue]))
}

test('all signals go to the collector in their encoding, with the person and the project of the session', async () => {
  for (const [signal, list] of Object.entries(PATHS)) {
    for (const [type, body] of [
      [JSON_TYPE, batch(list)],
      [PROTOBUF_TYPE, BYTES],
    ] as const) {
      const { status, type: answered, text } = await send(signal, body, { 'content-type': type })
      assert.deepEqual([status, text], [200, type === JSON_TYPE ? '{}' : ''], text)
      assert.ok(answered?.startsWith(type))
      const [{ path, headers } = assert.fail('the collector has nothing')] = collector.exports
      assert.deepEqual([path, headers['content-type']], [`/v1/${signal}`, type])
      const seen = attributesSeen(list)
      assert.equal(seen['gatehouse.project'], 'default')
      assert.equal(seen['gatehouse.organization'], 'default')
      assert.match(seen['gatehouse.user.id']!, /^[0-9a-f-]{36}$/)
      assert.equal(headers.authorization, undefined, 'the token stays here')
      collector.reset()
    }
  }
})

test('a batch that is packed with gzip goes on, with the person and the project', async () => {
  const packed = gzipSync(batch('resourceLogs'))
  assert.equal((await send('logs', packed, { 'content-encoding': 'gzip' })).status, 200)
  assert.equal(attributesSeen('resourceLogs')['gatehouse.project'], 'default')
})

test('a collector that is away is a 503, so that the agent sends again; one that refuses is told', async () => {
  collector.next((response) => response.writeHead(503).end())
  assert.equal((await send('logs', batch('resourceLogs'))).status, 503)
  collector.next((response) => response.writeHead(400).end())
  const refused = await send('logs', batch('resourceLogs'))
  assert.equal(refused.status, 200)
  assert.match(JSON.parse(refused.text).partialSuccess.errorMessage, /has not taken all/)
  for (const outcome of ['forwarded', 'failed', 'refused']) assert.ok(counted(gateway, 'logs', outcome) > 0, outcome)
})

test('what is no batch, too large, packed otherwise, or not from a session is refused, and nothing of it leaves', async () => {
  assert.equal((await send('logs', '{')).status, 422)
  assert.equal((await send('logs', '[]')).status, 400)
  assert.equal((await send('logs', 'x', { 'content-type': PROTOBUF_TYPE })).status, 400)
  assert.equal((await send('logs', 'x', { 'content-type': 'text/plain' })).status, 415)
  assert.equal((await send('logs', 'x', { 'content-encoding': 'gzip' })).status, 400)
  assert.equal((await send('logs', 'x', { 'content-encoding': 'br' })).status, 415)
  const bomb = gzipSync(Buffer.alloc(64 * 1_024 * 1_024))
  assert.equal((await send('logs', bomb, { 'content-encoding': 'gzip' })).status, 413)
  assert.equal((await send('logs', Buffer.alloc(5 * 1_024 * 1_024))).status, 413)
  assert.equal((await send('logs', batch('resourceLogs'), {}, API_KEY)).status, 403)
  assert.equal((await send('logs', batch('resourceLogs'), {}, 'wrong')).status, 401)
  assert.deepEqual(collector.exports, [])
})

test('memory is reserved for what a packed batch becomes, and not for its few packed bytes only', async (context) => {
  const memory = new MemoryBudget({ capacity: 8 * MB })
  const env = { GATEHOUSE_CONFIG, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'always_off' }
  const narrow = await startGateway({ env, overrides: { memory } })
  context.after(() => narrow.close())
  await firstOwner(narrow)
  const { access_token } = await signAgentIn(narrow.url, 'owner@example.com')
  const packed = gzipSync(JSON.stringify({ resourceLogs: [{ resource: {}, pad: 'x'.repeat(3 * MB) }] }))
  assert.ok(packed.length < 16 * KB)
  const sendTo = async (url: string, key: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': JSON_TYPE, 'content-encoding': 'gzip' }
    return (await fetch(`${url}/v3/claude/v1/logs`, { method: 'POST', headers, body: packed })).status
  }
  assert.equal(await sendTo(gateway.url, token), 200)
  assert.equal(await sendTo(narrow.url, access_token), 413)
  assert.equal(memory.held, 0)
})

test('without a collector, telemetry is counted and dropped', async () => {
  const bare = await startGateway({ env: { GATEHOUSE_CONFIG } })
  await firstOwner(bare)
  const { access_token } = await signAgentIn(bare.url, 'owner@example.com')
  const answer = await fetch(`${bare.url}/v3/claude/v1/metrics`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': PROTOBUF_TYPE },
    body: BYTES,
  })
  assert.equal(answer.status, 200)
  assert.equal(counted(bare, 'metrics', 'unwanted'), 1)
  await bare.close()
})
