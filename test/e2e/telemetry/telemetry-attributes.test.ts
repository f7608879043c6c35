import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { type FakeCollector, type SeenMetric, type SeenSpan, startCollector } from '../../fakes/collector.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { operator } from '../../gateway/people-under-test.ts'

// Budgets and caches on spans, and the time between the chunks of a stream.

const [SERVER, CLIENT] = [2, 3]
const CHUNKS = 'gen_ai.client.operation.time_per_output_chunk'
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
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '1',
      OTEL_METRIC_EXPORT_INTERVAL: '50',
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
})

test('a call names the limits that it had to fit into, and one without limits has no such attribute', async () => {
  assert.equal((await spanOf(SERVER, chat())).attributes['gatehouse.budget'], undefined)
  const admin = operator(gateway)
  const limit = { applies_to: 'all', limit: 1_000, window: 'day' }
  await admin('POST', '/admin/budgets', { id: 'of-all', ...limit })
  await admin('POST', '/admin/rate-limits', { id: 'rate-of-all', ...limit, unit: 'requests' })
  collector.reset()
  const { attributes, traceId } = await spanOf(SERVER, chat())
  await gateway.gateway.services.calls.ledger.flush()
  const { body } = await admin('GET', `/admin/requests/${attributes['gatehouse.request_id']}`)
  assert.equal(body.trace_id, traceId)
  assert.deepEqual([...(attributes['gatehouse.budget'] as string[])].sort(), ['of-all', 'rate-of-all'])
})

test('a chat says whether the provider has read a part of the prompt from its cache', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 }
  provider.next(answer({ usage: { ...usage, prompt_tokens_details: { cached_tokens: 8 } } }))
  assert.equal((await spanOf(CLIENT, chat())).attributes['gatehouse.cache'], 'hit')
  collector.reset()
  provider.next(answer({ usage }))
  assert.equal((await spanOf(CLIENT, chat())).attributes['gatehouse.cache'], 'miss')
})

test('the time from each chunk of a stream to the next is a metric, and a whole answer has none', async () => {
  await chat()
  const before = await metric(() => true)
  assert.equal(countOf(before.get(CHUNKS)), 0)
  provider.next(stream(textEvents('One two three four five.')))
  await chat({ stream: true })
  const after = await metric((all) => countOf(all.get(CHUNKS)) > 0)
  const { kind, unit, points } = after.get(CHUNKS)!
  assert.deepEqual([kind, unit, points[0]!.attributes['gen_ai.request.model']], ['histogram', 's', 'gpt-4o-mini'])
  assert.ok(points.every(({ sum = -1 }) => sum >= 0))
})

async function chat(more: object = {}): Promise<void> {
  const reply = await fetch(`${gateway.url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }], ...more }),
  })
  assert.equal(reply.status, 200, await reply.text())
}

async function spanOf(kind: number, call: Promise<void>): Promise<SeenSpan> {
  await call
  return await collector.until(() => collector.spans().find((span) => span.kind === kind))
}

/** What the next pushes say, as soon as it is what is waited for. */
function metric(isWanted: (all: Map<string, SeenMetric>) => boolean): Promise<Map<string, SeenMetric>> {
  collector.reset()
  return collector.until(() => {
    const all = new Map(collector.metrics().map((one) => [one.name, one]))
    return all.has('gen_ai.client.operation.duration') && isWanted(all) && all
  })
}

function countOf(found: SeenMetric | undefined): number {
  return (found?.points ?? []).reduce((sum, { count = '0' }) => sum + Number(count), 0)
}
