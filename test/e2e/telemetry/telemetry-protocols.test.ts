import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeCertificate } from '../../../src/platform/net/egress/fixtures/self-made-certificate.ts'
import { refuse, type SeenSpan, startCollector, staySilent } from '../../fakes/collector.ts'
import {
  answerPlainly,
  answerWith,
  cutOff,
  endWithoutStatus,
  type FakeGrpcCollector,
  hangUp,
  retryInfo,
  startGrpcCollector,
} from '../../fakes/grpc-collector.ts'
import { encodeAnswer } from '../../fakes/otlp-decoder.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { LONG_MS } from '../../gateway/limited-send.ts'

// The same spans and metrics over http/protobuf and over gRPC, to collectors on real ports that read them with the published schema.

type Env = Record<string, string>
const [UNAVAILABLE, RESOURCE_EXHAUSTED, UNAUTHENTICATED] = [14, 8, 16]

/** A gateway that tells the collector everything when it ends. */
async function runGateway(env: Env, use: (gateway: GatewayUnderTest) => Promise<void>): Promise<void> {
  const settings = { OTEL_METRICS_EXPORTER: 'none', OTEL_BSP_SCHEDULE_DELAY: '1', ...env }
  const gateway = await startGateway({ env: settings, overrides: { telemetryMs: LONG_MS } })
  await use(gateway).finally(() => gateway.close())
}

async function chat({ url }: GatewayUnderTest, model = 'sandbox/echo'): Promise<void> {
  const answer = await fetch(`${url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, fallbacks: ['sandbox/echo'], messages: [{ role: 'user', content: 'Grüße 😀' }] }),
  })
  assert.equal(answer.status, 200)
  await answer.text()
}

async function dropped({ adminUrl }: GatewayUnderTest): Promise<Record<string, number>> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  const lines = text.matchAll(/^gatehouse_telemetry_dropped_total\{signal="traces",reason="(\w+)"[^}]*\} (\d+)$/gm)
  return Object.fromEntries(Array.from(lines, ([, reason, count]) => [reason, Number(count)]))
}

async function untilDropped(gateway: GatewayUnderTest): Promise<Record<string, number>> {
  for (;;) {
    const counts = await dropped(gateway)
    if (Object.keys(counts).length > 0) return counts
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Everything of a span but its ids and times. */
function lasting(spans: readonly SeenSpan[]): unknown[] {
  const changing = /^gatehouse\.request_id$|^gen_ai\.response\.id$|^gatehouse\.key\.id$/
  return spans.map(({ name, kind, status, attributes }) => {
    const own = Object.entries(attributes).filter(([key]) => !changing.test(key))
    return { name, kind, status, attributes: Object.fromEntries(own) }
  })
}

test('the same calls mean the same over http/json, http/protobuf and grpc, with and without gzip', async () => {
  const http = await startCollector()
  const grpc = await startGrpcCollector()
  const seen: unknown[] = []
  for (const [protocol, collector] of [
    ['http/json', http],
    ['http/protobuf', http],
    ['grpc', grpc],
  ] as const)
    for (const compression of ['none', 'gzip']) {
      const env = {
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_COMPRESSION: compression,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-team=search%20team',
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_BSP_SCHEDULE_DELAY: '3600000',
      }
      await runGateway(env, (gateway) => chat(gateway, 'sandbox/fail-500'))
      collector.check()
      assert.ok(collector.exports.every(({ headers }) => headers['x-team'] === 'search team'))
      const isPacked = ({ headers }: (typeof collector.exports)[number]) =>
        (headers['content-encoding'] ?? headers['grpc-encoding']) === 'gzip'
      assert.equal(collector.exports.some(isPacked), compression === 'gzip', `${protocol} ${compression}`)
      const metrics = new Set(collector.metrics().map(({ name, kind, unit }) => `${name} ${kind} ${unit}`))
      assert.ok(metrics.has('gen_ai.client.operation.duration histogram s'))
      seen.push({ spans: lasting(collector.spans()), metrics: [...metrics].filter((name) => /gen_ai/.test(name)) })
      collector.reset()
    }
  assert.deepEqual(grpc.problems, [])
  const [first, ...others] = seen
  assert.equal((first as { spans: unknown[] }).spans.length, 3)
  for (const other of others) assert.deepEqual(other, first)
  await Promise.all([http.close(), grpc.close()])
})

test('a part that is rejected is counted, in protobuf and with gRPC', async () => {
  const partial = { rejectedSpans: 1, errorMessage: 'too old' }
  const http = await startCollector()
  http.next(refuse(200, { 'content-type': 'application/x-protobuf' }, encodeAnswer('/v1/traces', partial)))
  const grpc = await startGrpcCollector()
  grpc.next(answerWith(0, { partial }))
  for (const [protocol, collector] of [['http/protobuf', http] as const, ['grpc', grpc] as const])
    await runGateway(
      { OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
      async (gateway) => {
        await chat(gateway)
        assert.deepEqual(await untilDropped(gateway), { rejected: 1 }, protocol)
        assert.match(gateway.logs(), /too old/)
      },
    )
  await Promise.all([http.close(), grpc.close()])
})

async function withGrpc(
  behaviours: Parameters<FakeGrpcCollector['next']>,
  use: (collector: FakeGrpcCollector, gateway: GatewayUnderTest) => Promise<void>,
  env: Env = {},
): Promise<void> {
  const collector = await startGrpcCollector()
  collector.next(...behaviours)
  const own = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  await runGateway({ ...own, ...env }, async (gateway) => {
    await chat(gateway)
    await use(collector, gateway)
  })
  assert.deepEqual(collector.problems, [])
  await collector.close()
}

const SOON = { details: retryInfo(1) }

test('with gRPC, a collector that says when gets the same spans again, over the same connection', async () => {
  const busy = [answerWith(UNAVAILABLE, SOON), answerWith(RESOURCE_EXHAUSTED, SOON)]
  await withGrpc(busy, async (collector, gateway) => {
    await collector.until(() => collector.exports.length === 3)
    const [first, second, third] = collector.exports.map(({ body }) => body)
    assert.deepEqual([second, third], [first, first])
    assert.deepEqual(await dropped(gateway), {})
    assert.equal(collector.connections(), 1)
  })
})

for (const [what, behaviour, reason] of [
  ['a refusal', answerWith(UNAUTHENTICATED), 'refused'],
  ['exhaustion without a word on when', answerWith(RESOURCE_EXHAUSTED), 'refused'],
  ['a page of something in between', answerPlainly(404), 'refused'],
  ['an answer without a status', endWithoutStatus(), 'refused'],
] as const)
  test(`with gRPC, ${what} is final and counted, and the next batch is sent`, async () => {
    await withGrpc([behaviour], async (collector, gateway) => {
      assert.deepEqual(await untilDropped(gateway), { [reason]: 2 })
      await chat(gateway)
      await collector.until(() => collector.exports.length === 2)
      assert.match(gateway.logs(), /telemetry did not reach the collector/)
    })
  })

for (const [what, behaviour] of [
  ['an answer that breaks off', cutOff()],
  ['a connection that ends', hangUp()],
  ['an answer that never comes', () => {}],
  ['a proxy whose server is away', answerPlainly(503)],
] as const)
  test(`with gRPC, ${what} is no answer: the spans are sent again`, async () => {
    const env = { OTEL_EXPORTER_OTLP_TIMEOUT: '500' }
    await withGrpc(
      [behaviour],
      async (collector) => {
        await collector.until(() => collector.exports.length === 2)
        const [first, second] = collector.exports.map(({ body }) => body)
        assert.deepEqual(second, first)
      },
      env,
    )
  })

test('with gRPC, the end of the gateway does not wait for a collector that is away or silent', async () => {
  const silent = await startGrpcCollector()
  silent.next(
    () => {},
    () => {},
  )
  for (const endpoint of ['http://127.0.0.1:9', silent.url]) {
    const env = {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_METRICS_EXPORTER: 'none',
    }
    const gateway = await startGateway({ env, overrides: { telemetryMs: 50 } })
    await chat(gateway)
    await gateway.close()
  }
  await silent.close()
})

async function certificateFiles(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-otlp-'))
  t.after(() => rm(folder, { recursive: true }))
  const { cert, key } = makeCertificate(['localhost'])
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)])
  return { cert, key, certFile, keyFile }
}

test('a collector with a certificate of its own is trusted if it is named, over HTTP and gRPC, and gets that of the gateway', async (t) => {
  const { cert, key, certFile, keyFile } = await certificateFiles(t)
  const collectors = [
    ['http/protobuf', await startCollector({ cert, key, ca: cert })],
    ['grpc', await startGrpcCollector({ cert, key, ca: cert })],
  ] as const
  for (const [protocol, collector] of collectors) {
    const env = { OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const named = {
      OTEL_EXPORTER_OTLP_CERTIFICATE: certFile,
      OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: certFile,
      OTEL_EXPORTER_OTLP_CLIENT_KEY: keyFile,
    }
    await runGateway({ ...env, ...named }, chat)
    assert.equal(collector.spans().length, 2, protocol)
    collector.reset()
    await runGateway({ ...env, OTEL_BSP_SCHEDULE_DELAY: '3600000' }, chat)
    assert.equal(collector.exports.length, 0, `${protocol}: trusted although no variable names it`)
    await collector.close()
  }
})

test('a silent collector over http/protobuf holds up no call, and the batch is sent again', async () => {
  const collector = await startCollector()
  collector.next(staySilent())
  const env = {
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
  }
  await runGateway(env, async (gateway) => {
    await chat(gateway)
    await collector.until(() => collector.exports.length === 2)
    assert.equal(collector.exports[1]!.headers['content-type'], 'application/x-protobuf')
  })
  await collector.close()
})
