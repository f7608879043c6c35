import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuse, startCollector, staySilent } from '../../fakes/collector.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { LONG_MS } from '../../gateway/limited-send.ts'

// The collector is away, slow or unwilling. No caller notices it, and what is lost is counted.

const NOWHERE = 'http://127.0.0.1:9'

async function withGateway(
  env: Record<string, string>,
  use: (gateway: GatewayUnderTest) => Promise<void>,
  telemetryMs = 5_000,
) {
  const settings = { OTEL_METRICS_EXPORTER: 'none', OTEL_BSP_SCHEDULE_DELAY: '1', ...env }
  const gateway = await startGateway({ env: settings, overrides: { telemetryMs } })
  await use(gateway).finally(() => gateway.close())
}

async function chat({ url }: GatewayUnderTest): Promise<void> {
  const answer = await fetch(`${url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  assert.equal(answer.status, 200)
  await answer.text()
}

async function droppedIn({ adminUrl }: GatewayUnderTest): Promise<Record<string, number>> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  const lines = text.matchAll(/^gatehouse_telemetry_dropped_total\{signal="traces",reason="(\w+)"[^}]*\} (\d+)$/gm)
  return Object.fromEntries(Array.from(lines, ([, reason, count]) => [reason, Number(count)]))
}

async function untilDropped(gateway: GatewayUnderTest, reason: string): Promise<number> {
  for (;;) {
    const dropped = await droppedIn(gateway)
    if (dropped[reason]) return dropped[reason]
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('a slow collector: the queue fills, what comes is dropped and counted, and callers are answered', async () => {
  const collector = await startCollector()
  collector.next(staySilent())
  const limits = { OTEL_BSP_MAX_QUEUE_SIZE: '4', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2' }
  await withGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...limits }, async (gateway) => {
    await chat(gateway)
    await collector.until(() => collector.exports.length === 1)
    for (let i = 0; i < 5; i++) await chat(gateway)
    // Two calls with two spans each wait, three found no room.
    assert.deepEqual(await droppedIn(gateway), { full: 6 })
    await collector.close()
  })
})

test('a collector that is away does not slow calls, and the end of the gateway does not wait for it', async () => {
  await withGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: NOWHERE }, async (gateway) => {
    for (let i = 0; i < 3; i++) await chat(gateway)
  })
})

test('a refusal is counted and logged without the headers, and the next batch is sent', async () => {
  const collector = await startCollector()
  collector.next(refuse(403))
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=very-secret' }
  await withGateway(env, async (gateway) => {
    await chat(gateway)
    assert.equal(await untilDropped(gateway, 'refused'), 2)
    await chat(gateway)
    await collector.until(() => collector.exports.length === 2)
    assert.equal(collector.exports[1]!.headers.authorization, 'very-secret')
    assert.ok(gateway.logs().includes('telemetry did not reach the collector'))
    assert.ok(!gateway.logs().includes('very-secret'))
    const config = await fetch(`${gateway.adminUrl}/admin/config`, {
      headers: { authorization: 'Bearer test-admin-key-of-the-suite' },
    })
    const text = await config.text()
    assert.ok(text.includes('OTEL_EXPORTER_OTLP_HEADERS') && !text.includes('very-secret'))
  })
  await collector.close()
})

test('a collector that is overloaded gets the same spans again', async () => {
  const collector = await startCollector()
  collector.next(refuse(429, { 'retry-after': '0' }), refuse(503, { 'retry-after': '0' }))
  await withGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, async (gateway) => {
    await chat(gateway)
    await collector.until(() => collector.exports.length === 3)
    const [first, second, third] = collector.exports.map(({ body }) => body)
    assert.deepEqual([second, third], [first, first])
    assert.deepEqual(await droppedIn(gateway), {})
  })
  await collector.close()
})

test('a part that is rejected is counted', async () => {
  const collector = await startCollector()
  collector.next(refuse(200, {}, '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}'))
  await withGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, async (gateway) => {
    await chat(gateway)
    assert.equal(await untilDropped(gateway, 'rejected'), 1)
  })
  await collector.close()
})

test('what waits when the gateway ends is sent, spans and metrics', async () => {
  const collector = await startCollector()
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
    OTEL_METRICS_EXPORTER: 'otlp',
  }
  await withGateway(
    env,
    async (gateway) => {
      await chat(gateway)
      assert.equal(collector.exports.length, 0)
    },
    LONG_MS,
  )
  assert.equal(collector.spans().length, 2)
  assert.ok(collector.metrics().some(({ name }) => name === 'gen_ai.client.operation.duration'))
  assert.ok(collector.metrics().some(({ name }) => name === 'gen_ai.client.token.usage'))
  collector.check()
  await collector.close()
})
