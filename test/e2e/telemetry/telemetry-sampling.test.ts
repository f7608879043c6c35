import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { type FakeCollector, type SeenMetric, startCollector } from '../../fakes/collector.ts'
import { failure, silence } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// A gateway that samples nearly nothing by itself: what arrives was wanted by a caller, or went wrong.

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const SAMPLED = { traceparent: `00-${TRACE}-${PARENT}-01` }
const NOT_SAMPLED = { traceparent: `00-${TRACE}-${PARENT}-00` }
const CLIENT = 3

let collector: FakeCollector
let provider: FakeProvider
let gateway: GatewayUnderTest
let folder: string

before(async () => {
  collector = await startCollector()
  provider = await startFakeProvider()
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-telemetry-'))
  const config = {
    telemetry: { conventions: 'next' },
    providers: {
      told: { dialect: 'openai', baseUrl: provider.url, traceContext: true },
      vllm: { traceContext: false },
    },
  }
  await writeFile(join(folder, 'gatehouse.config.json'), JSON.stringify(config))
  gateway = await startGateway({
    env: {
      GATEHOUSE_CONFIG: join(folder, 'gatehouse.config.json'),
      OPENAI_API_KEY: 'sk-x',
      OPENAI_BASE_URL: provider.url,
      OLLAMA_BASE_URL: provider.url,
      VLLM_BASE_URL: provider.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.000000001',
      OTEL_BSP_SCHEDULE_DELAY: '1',
      OTEL_METRIC_EXPORT_INTERVAL: '25',
    },
  })
})
after(async () => {
  await gateway.close()
  collector.check()
  await provider.close()
  await collector.close()
  await rm(folder, { recursive: true })
})
afterEach(() => {
  collector.reset()
  provider.reset()
})

type Options = { headers?: Record<string, string>; key?: string; signal?: AbortSignal }

function chat(body: object = {}, { headers = {}, key = API_KEY, signal }: Options = {}): Promise<Response> {
  return fetch(`${gateway.url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }], ...body }),
    signal: signal ?? null,
  })
}

/** Spans are sent in the order of their calls, so the spans that were kept before this call have arrived, too. */
async function spansUntil(last: Promise<Response>) {
  const answer = await last
  await answer.text()
  const id = answer.headers.get('x-request-id')
  return await collector.until(() => {
    const spans = collector.spans()
    return spans.some(({ attributes }) => attributes['gatehouse.request_id'] === id) && spans
  })
}

async function lastHeaders() {
  return (await provider.request(provider.requests.length - 1)).headers
}

test('a call that went well and was not sampled leaves no span; one of a sampled trace does', async () => {
  await (await chat()).text()
  await (await chat({}, { headers: NOT_SAMPLED })).text()
  const spans = await spansUntil(chat({}, { headers: SAMPLED }))
  assert.deepEqual(new Set(spans.map(({ traceId }) => traceId)), new Set([TRACE]))
  assert.equal(spans.length, 2)
})

test('a failure and a fallback are kept although they were not sampled', async () => {
  provider.next(failure(500))
  await (await chat({}, { headers: NOT_SAMPLED })).text()
  provider.next(failure(500))
  const spans = await spansUntil(chat({ model: 'openai/gpt-4o', fallbacks: ['openai/gpt-4o-mini'] }))
  assert.equal(spans.length, 2 + 3)
  assert.ok(spans.some(({ attributes }) => attributes['gatehouse.fallback_from'] === 'openai/gpt-4o'))
})

test('a request without a valid key leaves no span, whatever it claims; a refused one of a caller does', async () => {
  for (let i = 0; i < 20; i++) assert.equal((await chat({}, { key: 'wrong', headers: SAMPLED })).status, 401)
  const refused = chat({ temperature: 99 }, { headers: SAMPLED })
  const spans = await spansUntil(refused)
  assert.equal((await refused).status, 422)
  assert.equal(spans.length, 1)
  const [{ attributes, status }] = spans as [(typeof spans)[number]]
  assert.deepEqual(
    [attributes['http.response.status_code'], attributes['gatehouse.error.code']],
    [422, 'validation_error'],
  )
  assert.deepEqual(status, {})
})

test('a caller who leaves: the attempt was abandoned, and that is no error of the provider', async () => {
  provider.next(silence())
  const leaving = new AbortController()
  const asked = chat({}, { headers: SAMPLED, signal: leaving.signal }).catch(() => undefined)
  await provider.request(0)
  leaving.abort()
  await asked
  const spans = await collector.until(() => collector.spans().length === 2 && collector.spans())
  const client = spans.find(({ kind }) => kind === CLIENT)!
  assert.deepEqual([client.status, client.attributes['gatehouse.outcome']], [{}, 'abandoned'])
  const server = spans.find(({ kind }) => kind !== CLIENT)!
  assert.equal(server.attributes['gatehouse.error.code'], 'client_gone')
})

test('a local model server gets the span of the attempt, and nothing of the headers of the caller', async () => {
  const headers = { ...SAMPLED, tracestate: 'a=1', baggage: 'secret=1' }
  const spans = await spansUntil(chat({ model: 'ollama/llama3.2' }, { headers }))
  const client = spans.find(({ kind }) => kind === CLIENT)!
  const { traceparent, tracestate, baggage } = await lastHeaders()
  assert.deepEqual([traceparent, tracestate, baggage], [`00-${TRACE}-${client.spanId}-01`, undefined, undefined])
})

test('a public provider gets none of it, unless its row in the config file says so; a local one may be left out', async () => {
  const seen = async (model: string) => {
    await (await chat({ model }, { headers: { ...SAMPLED, tracestate: 'a=1', baggage: 'b=1' } })).text()
    const { traceparent, tracestate, baggage } = await lastHeaders()
    return [traceparent !== undefined, tracestate, baggage]
  }
  assert.deepEqual(await seen('openai/gpt-4o-mini'), [false, undefined, undefined])
  assert.deepEqual(await seen('vllm/m'), [false, undefined, undefined])
  assert.deepEqual(await seen('told/m'), [true, undefined, undefined])
})

test('trace headers among the extra headers of a body are not passed on either', async () => {
  const extra_headers = { Traceparent: SAMPLED.traceparent, tracestate: 'a=1', BAGGAGE: 'b=1', 'x-kept': 'yes' }
  await (await chat({ extra_headers })).text()
  const { traceparent, tracestate, baggage, 'x-kept': kept } = await lastHeaders()
  assert.deepEqual([traceparent, tracestate, baggage, kept], [undefined, undefined, undefined, 'yes'])
})

test('the log line has the trace', async () => {
  const before = gateway.logs().length
  await spansUntil(chat({}, { headers: SAMPLED }))
  // A line is written when the answer is closed, which may be after its spans have arrived.
  while (!gateway.logs().slice(before).includes('POST /v3/chat')) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(gateway.logs().slice(before).includes(`"trace_id":"${TRACE}"`))
})

test('metrics are pushed: those of /metrics and those of the conventions, counted for calls without a span too', async () => {
  provider.next(failure(500))
  await (await chat()).text()
  await (await chat()).text()
  const wanted = [
    'gen_ai.client.inference.duration',
    'gen_ai.client.inference.usage.input_tokens',
    'gatehouse_attempts_total',
  ]
  const metrics = await collector.until(() => {
    const all = new Map(collector.metrics().map((metric) => [metric.name, metric]))
    return wanted.every((name) => all.has(name)) && totalOf(all.get('gatehouse_attempts_total')!) >= 2 && all
  })
  const duration = metrics.get('gen_ai.client.inference.duration')!
  assert.deepEqual([duration.kind, duration.unit], ['histogram', 's'])
  const failed = duration.points.find(({ attributes }) => attributes['error.type'] === 'server_error')!
  assert.equal(failed.attributes['gen_ai.request.model'], 'gpt-4o-mini')
  assert.equal(metrics.has('gen_ai.client.token.usage'), false)
  assert.equal(metrics.get('gatehouse_in_flight')!.kind, 'gauge')
  assert.equal(metrics.get('gatehouse_request_duration_seconds')!.unit, 's')
  const scraped = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
  for (const name of metrics.keys())
    if (name.startsWith('gatehouse_')) assert.ok(scraped.includes(`# TYPE ${name} `), name)
})

function totalOf({ points }: SeenMetric): number {
  return points.reduce((sum, { asDouble = 0 }) => sum + asDouble, 0)
}
