import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type FakeCollector, type SeenSpan, startCollector } from '../../fakes/collector.ts'
import { failure } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const SECRET = 'the private text'
const [SERVER, CLIENT] = [2, 3]
const ERROR = 2

let collector: FakeCollector
let provider: FakeProvider
let gateway: GatewayUnderTest

before(async () => {
  collector = await startCollector()
  provider = await startFakeProvider()
  gateway = await startGateway({
    env: {
      OPENAI_API_KEY: 'sk-x',
      OPENAI_BASE_URL: provider.url,
      OLLAMA_BASE_URL: provider.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=search%20team',
      OTEL_SERVICE_NAME: 'gateway-of-tests',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_BSP_SCHEDULE_DELAY: '1',
    },
  })
})
after(async () => {
  await gateway.close()
  await provider.close()
  await collector.close()
})
afterEach(() => {
  collector.check()
  collector.reset()
  provider.reset()
})

type Options = { headers?: Record<string, string>; key?: string }

function chat(body: object, { headers = {}, key = API_KEY }: Options = {}): Promise<Response> {
  return fetch(`${gateway.url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: SECRET }], ...body }),
  })
}

/** The spans of the next call: its own, and those of its attempts. */
async function spansOf(attempts: number): Promise<{ server: SeenSpan; clients: SeenSpan[] }> {
  const spans = await collector.until(() => collector.spans().length > attempts && collector.spans())
  const server = spans.find(({ kind }) => kind === SERVER)!
  const clients = spans.filter(({ kind }) => kind === CLIENT)
  assert.equal(clients.length, attempts)
  for (const client of clients) assert.deepEqual([client.traceId, client.parentSpanId], [server.traceId, server.spanId])
  return { server, clients }
}

test('a chat is one SERVER span under the span of its caller, with one CLIENT span for its attempt', async () => {
  const traceparent = `00-${TRACE}-${PARENT}-01`
  const headers = {
    traceparent,
    tracestate: 'vendor=1',
    'x-gatehouse-tags': 'session_id=s-1,team=search',
    'x-gatehouse-metadata': 'enabled',
  }
  const answer = await chat({ temperature: 1, max_tokens: 50, stop: ['x'], user: 'u-7', n: 1 }, { headers })
  const { gatehouse } = (await answer.json()) as { gatehouse: { trace_id: string } }
  assert.equal(gatehouse.trace_id, TRACE)
  const { server, clients } = await spansOf(1)
  assert.equal(server.name, 'POST /v3/chat/completions')
  assert.deepEqual([server.traceId, server.parentSpanId, server.traceState], [TRACE, PARENT, 'vendor=1'])
  assert.deepEqual(server.status, {})
  const own = server.attributes
  assert.equal(own['http.route'], '/v3/chat/completions')
  assert.equal(own['http.response.status_code'], 200)
  assert.equal(own['user.id'], 'u-7')
  assert.equal(own['session.id'], 's-1')
  assert.equal(own['gatehouse.requested_model'], 'openai/gpt-4o-mini')
  assert.equal(own['gatehouse.attempts'], 1)
  assert.match(String(own['gatehouse.price_version']), /^\d{4}-/)
  assert.ok(Number(own['gatehouse.cost_usd']) > 0)
  const [client] = clients
  // Backends add up the costs of the spans of a trace, so one span has it; they filter by tags that every span has.
  for (const name of ['gen_ai.usage.cost', 'llm.cost.total'])
    assert.deepEqual([own[name], client!.attributes[name]], [undefined, own['gatehouse.cost_usd']])
  for (const name of ['langfuse.trace.tags', 'tag.tags'])
    for (const span of [own, client!.attributes]) assert.deepEqual(span[name], ['session_id=s-1', 'team=search'])
  assert.deepEqual([client!.attributes['user.id'], client!.attributes['session.id']], ['u-7', 's-1'])
  assert.equal(client!.name, 'chat gpt-4o-mini')
  const { attributes } = client!
  assert.equal(attributes['gen_ai.provider.name'], 'openai')
  assert.equal(attributes['gen_ai.operation.name'], 'chat')
  assert.equal(attributes['gen_ai.request.model'], 'gpt-4o-mini')
  assert.equal(attributes['gen_ai.request.temperature'], 1)
  assert.equal(attributes['gen_ai.request.max_tokens'], 50)
  assert.deepEqual(attributes['gen_ai.request.stop_sequences'], ['x'])
  assert.deepEqual(attributes['gen_ai.response.finish_reasons'], ['stop'])
  assert.ok(Number(attributes['gen_ai.usage.input_tokens']) > 0)
  assert.equal(attributes['server.address'], '127.0.0.1')
  assert.equal(attributes['server.port'], Number(new URL(provider.url).port))
  assert.equal(attributes['user.id'], 'u-7')
  assert.equal(attributes['session.id'], 's-1')
})

test('the resource says who sends it, and the scope which conventions its names are from', async () => {
  await (await chat({})).text()
  await spansOf(1)
  const [{ headers, body, path }] = collector.exports as [(typeof collector.exports)[number]]
  assert.equal(path, '/v1/traces')
  assert.equal(headers['x-team'], 'search team')
  assert.equal(headers['content-encoding'], 'gzip')
  const [{ resource, scopeSpans, schemaUrl }] = body.resourceSpans as [
    {
      resource: { attributes: { key: string; value: { stringValue: string } }[] }
      scopeSpans: { schemaUrl: string }[]
      schemaUrl: string
    },
  ]
  const named = new Map(resource.attributes.map(({ key, value }) => [key, value.stringValue]))
  assert.equal(named.get('service.name'), 'gateway-of-tests')
  assert.equal(named.get('deployment.environment.name'), 'test')
  assert.ok(named.get('service.instance.id'))
  assert.deepEqual([schemaUrl, scopeSpans[0]!.schemaUrl], Array(2).fill('https://opentelemetry.io/schemas/1.41.0'))
})

test('nothing of the content is exported', async () => {
  await (await chat({ messages: [{ role: 'user', content: SECRET }], metadata: { user_id: 'p-1' } })).text()
  provider.next(failure(400, { message: `I do not like '${SECRET}'` }))
  await (await chat({})).text()
  await collector.until(() => collector.spans().length >= 4)
  assert.ok(!JSON.stringify(collector.exports.map(({ body }) => body)).includes(SECRET))
})

test('a fallback: the failed attempt has the error, the call is well', async () => {
  provider.next(failure(500))
  const answer = await chat({ model: 'openai/gpt-4o', fallbacks: ['openai/gpt-4o-mini'] })
  assert.equal(answer.status, 200)
  await answer.text()
  const { server, clients } = await spansOf(2)
  const [failed, answered] = clients as [SeenSpan, SeenSpan]
  assert.deepEqual([failed.status.code, answered.status.code, server.status.code], [ERROR, undefined, 1])
  assert.equal(failed.attributes['error.type'], 'server_error')
  assert.equal(failed.attributes['http.response.status_code'], 500)
  assert.equal(failed.attributes['gen_ai.usage.input_tokens'], undefined)
  assert.equal(answered.attributes['gatehouse.fallback_from'], 'openai/gpt-4o')
  assert.deepEqual([failed.attributes['gatehouse.attempt'], answered.attributes['gatehouse.attempt']], [1, 2])
  assert.ok(BigInt(failed.startTimeUnixNano) <= BigInt(answered.startTimeUnixNano))
  for (const { startTimeUnixNano } of clients) assert.ok(BigInt(startTimeUnixNano) >= BigInt(server.startTimeUnixNano))
})

test('all attempts fail: the call has an error too, with the code that the caller got', async () => {
  provider.always(failure(500))
  const answer = await chat({})
  const { error } = (await answer.json()) as { error: { code: string } }
  const { server, clients } = await spansOf(1)
  assert.deepEqual([server.status.code, clients[0]!.status.code], [ERROR, ERROR])
  assert.equal(server.attributes['error.type'], error.code)
  assert.equal(server.attributes['http.response.status_code'], answer.status)
})

test('a stream has the time to its first chunk, and how it ended', async () => {
  provider.next(stream(textEvents('Hello')))
  await (await chat({ stream: true })).text()
  const { clients } = await spansOf(1)
  const { attributes } = clients[0]!
  assert.equal(attributes['gen_ai.request.stream'], true)
  assert.equal(typeof attributes['gen_ai.response.time_to_first_chunk'], 'number')
  assert.deepEqual(attributes['gen_ai.response.finish_reasons'], ['stop'])
  assert.ok(attributes['gen_ai.response.id'])
})

test('a stream that is cut has an error on its attempt and on its call', async () => {
  provider.next(stream(textEvents('Hello there').slice(0, 2), { end: 'rst' }))
  await chat({ stream: true })
    .then((answer) => answer.text())
    .catch(() => undefined)
  const { server, clients } = await spansOf(1)
  assert.deepEqual([server.status.code, clients[0]!.status.code], [ERROR, ERROR])
})
