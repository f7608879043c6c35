import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { failure, silence } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type Family, parsePrometheus } from '../../gateway/prometheus-text.ts'

const FAMILIES = {
  gatehouse_requests_total: 'counter',
  gatehouse_request_duration_seconds: 'histogram',
  gatehouse_time_to_first_token_seconds: 'histogram',
  gatehouse_tokens_total: 'counter',
  gatehouse_cost_usd_total: 'counter',
  gatehouse_attempts_total: 'counter',
  gatehouse_in_flight: 'gauge',
  gatehouse_event_loop_delay_seconds: 'gauge',
}

describe('metrics', () => {
  let gateway: GatewayUnderTest
  let provider: FakeProvider
  beforeEach(async () => {
    provider = await startFakeProvider()
    gateway = await startGateway({ env: { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.url } })
  })
  afterEach(async () => {
    await gateway.close()
    await provider.close()
  })

  test('before anything happened the page is valid and has every family', async () => {
    const families = await scrape()
    for (const [name, type] of Object.entries(FAMILIES)) {
      assert.equal(families.get(name)?.type, type, name)
      assert.match(families.get(name)!.help, /\.$/)
    }
  })

  test('one whole answer, one stream and one failure are counted where they belong', async () => {
    await chat({ model: 'openai/gpt-4o' })
    provider.next(stream(textEvents('One two three', { model: 'gpt-4o' })))
    await chat({ model: 'openai/gpt-4o', stream: true })
    provider.next(failure(500))
    assert.equal((await chat({ model: 'openai/gpt-4o' })).status, 502)
    const families = await scrape()
    const endpoint = 'POST /v3/chat/completions'
    assert.equal(sampleOf(families, 'gatehouse_requests_total', { endpoint, status: '200' }), 2)
    assert.equal(sampleOf(families, 'gatehouse_requests_total', { endpoint, status: '502' }), 1)
    assert.equal(sampleOf(families, 'gatehouse_request_duration_seconds', { endpoint }, '_count'), 3)
    assert.equal(sampleOf(families, 'gatehouse_time_to_first_token_seconds', { provider: 'openai' }, '_count'), 1)
    const counted = { provider: 'openai', model: 'openai/gpt-4o' }
    assert.equal(sampleOf(families, 'gatehouse_tokens_total', { ...counted, direction: 'input' }), 18)
    assert.equal(sampleOf(families, 'gatehouse_tokens_total', { ...counted, direction: 'output' }), 24)
    const cost = 2 * (9 * 2.5e-6 + 12 * 10e-6)
    assert.ok(Math.abs(sampleOf(families, 'gatehouse_cost_usd_total', counted)! - cost) < 1e-12)
    assert.equal(sampleOf(families, 'gatehouse_attempts_total', { provider: 'openai', outcome: 'answered' }), 2)
    assert.equal(sampleOf(families, 'gatehouse_attempts_total', { provider: 'openai', outcome: 'server_error' }), 1)
  })

  test('what runs is seen running, and gone when it is over', async () => {
    provider.next(silence())
    const leaving = new AbortController()
    const running = chat({ model: 'openai/x' }, leaving.signal)
    const { closed } = await provider.request(0)
    assert.equal(sampleOf(await scrape(), 'gatehouse_in_flight', {}), 1)
    leaving.abort()
    await assert.rejects(running)
    await closed
    assert.equal(sampleOf(await scrape(), 'gatehouse_in_flight', {}), 0)
  })

  test('a model name with quotes, line ends and backslashes leaves the page valid', async () => {
    const model = 'openai/a"b\\c\nd\re{}=,#\u001b[31m'
    assert.equal((await chat({ model })).status, 200)
    const labels = { provider: 'openai', model, direction: 'input' }
    assert.equal(sampleOf(await scrape(), 'gatehouse_tokens_total', labels), 9)
  })

  test('a NUL in a model name stays in that name', async () => {
    await chat({ model: 'openai/a\0b' })
    const { samples } = (await scrape()).get('gatehouse_tokens_total')!
    assert.deepEqual(samples.map(({ labels }) => labels.direction).sort(), ['input', 'output'])
  })

  test('a model name of a megabyte does not make a page of megabytes', async () => {
    await chat({ model: `openai/${'m'.repeat(1_000_000)}` })
    assert.ok((await page()).length < 100_000)
  })

  test('invented model names do not add up without end', async () => {
    const { tokens } = gateway.gateway.services.calls.metrics
    for (let i = 0; i < 2_100; i++) tokens.add(['openai', `openai/invented-${i}`, 'input'], 1)
    const { samples } = (await scrape()).get('gatehouse_tokens_total')!
    assert.ok(samples.length <= 2_001)
    assert.ok(samples.some(({ labels }) => labels.model === 'other'))
  })

  async function scrape(): Promise<Map<string, Family>> {
    return parsePrometheus(await page())
  }

  async function page(): Promise<string> {
    const response = await fetch(`${gateway.adminUrl}/metrics`)
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/)
    return response.text()
  }

  async function chat(body: object, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(`${gateway.url}/v3/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'x' }], ...body }),
      signal: signal ?? null,
    })
    await response.text()
    return response
  }
})

function sampleOf(families: Map<string, Family>, name: string, labels: Record<string, string>, suffix = '') {
  const wanted = Object.entries(labels)
  const found = families.get(name)?.samples.filter((sample) => sample.name === name + suffix)
  return found?.find((sample) => wanted.every(([label, value]) => sample.labels[label] === value))?.value
}
