import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type FakeCollector, type SeenSpan, startCollector } from '../../fakes/collector.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { startReceiver } from '../../fakes/webhook-receiver.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { taskClient } from '../../gateway/task-client.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const HEADERS = { traceparent: `00-${TRACE}-b7ad6b7169203331-01` }
const [SERVER, CLIENT, PRODUCER, CONSUMER] = [2, 3, 4, 5]

for (const { name, skip, newStore } of await storeKinds())
  describe(`traces of jobs on ${name}`, { skip }, () => {
    let collector: FakeCollector
    let receiver: Awaited<ReturnType<typeof startReceiver>>
    let submitting: GatewayUnderTest
    let running: GatewayUnderTest
    let close: () => Promise<void>

    // One process accepts jobs, the other one runs them: what they know of each other went through the store.
    before(async () => {
      collector = await startCollector()
      receiver = await startReceiver()
      const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-telemetry-'))
      const store = await newStore()
      const env = {
        ALLOW_NETWORKS: '127.0.0.0/8',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
        OTEL_BSP_SCHEDULE_DELAY: '1',
        ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }),
      }
      submitting = await startGateway({ env, dataDir, overrides: { role: 'api' } })
      running = await startGateway({ env, dataDir, overrides: { role: 'worker' } })
      close = async () => {
        await submitting.close()
        await running.close()
        await store.remove()
        await rm(dataDir, { recursive: true, force: true })
      }
    })
    after(async () => {
      await close()
      collector.check()
      await receiver.stop()
      await collector.close()
    })

    test('submitted in the trace of the caller, run in a trace of its own that is linked, and announced in that one', async () => {
      const job = { model: 'text/moderation/sandbox', input: { text: 'Hello' }, webhook_receiver: `${receiver.url}/ok` }
      const { body } = await taskClient(submitting.url).submit(job, HEADERS)
      const spans = await collector.until(() => {
        const seen = collector.spans()
        return seen.some(({ name }) => name === 'deliver webhook') && of(seen, CONSUMER) && of(seen, SERVER) && seen
      })
      const [server, producer, consumer] = [of(spans, SERVER)!, of(spans, PRODUCER)!, of(spans, CONSUMER)!]
      assert.deepEqual([server.traceId, producer.traceId, producer.parentSpanId], [TRACE, TRACE, server.spanId])
      assert.equal(producer.attributes['messaging.message.id'], body.public_id)
      assert.equal(consumer.name, 'run text/moderation')
      assert.equal(consumer.traceId, body.public_id.replaceAll('-', ''))
      assert.equal(consumer.parentSpanId, undefined)
      assert.deepEqual(consumer.links, [{ traceId: TRACE, spanId: producer.spanId }])
      const attempt = spans.find(({ parentSpanId }) => parentSpanId === consumer.spanId)!
      assert.deepEqual([attempt.kind, attempt.traceId], [CLIENT, consumer.traceId])
      const delivery = spans.find(({ name }) => name === 'deliver webhook')!
      assert.deepEqual([delivery.kind, delivery.traceId], [CLIENT, consumer.traceId])
      assert.equal(delivery.attributes['http.response.status_code'], 200)
      assert.ok(!JSON.stringify(delivery).includes('/ok'))
    })

    test('a response in the background is linked in the same way', async () => {
      collector.reset()
      const body = { model: 'sandbox/echo', input: 'Hello', background: true }
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...HEADERS }
      const asked = { method: 'POST', headers, body: JSON.stringify(body) }
      assert.equal((await fetch(`${submitting.url}/v3/responses`, asked)).status, 200)
      const spans = await collector.until(() => {
        const seen = collector.spans()
        return of(seen, SERVER) && of(seen, CONSUMER) && of(seen, PRODUCER) && seen
      })
      const [server, producer, consumer] = [of(spans, SERVER)!, of(spans, PRODUCER)!, of(spans, CONSUMER)!]
      assert.deepEqual([server.traceId, producer.parentSpanId], [TRACE, server.spanId])
      assert.deepEqual(consumer.links, [{ traceId: TRACE, spanId: producer.spanId }])
      assert.ok(spans.some(({ parentSpanId, name }) => parentSpanId === consumer.spanId && name === 'chat echo'))
    })
  })

function of(spans: readonly SeenSpan[], kind: number): SeenSpan | undefined {
  return spans.find((span) => span.kind === kind)
}
