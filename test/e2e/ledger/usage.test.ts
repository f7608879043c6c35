import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { USAGE_GROUPS, UsageReport } from '../../../src/contract/admin/usage.ts'
import { validator } from '../../../src/base/schema/validator.ts'
import { failure } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { type AdminClient, adminClient, type Refusal } from '../../gateway/admin-client.ts'
import { type ChatClient, chatClient, HELLO } from '../../gateway/chat-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { DAY_MS } from '../../../src/base/units/units.ts'

const NOON = Date.parse('2026-03-10T12:00:00Z')
/** The cost of three times the fake's 9 and 12 tokens with gpt-4o: 2.5 and 10 USD per million. */
const COST_OF_THREE = 0.0004275

describe('usage', () => {
  let gateway: GatewayUnderTest
  let provider: FakeProvider
  let admin: AdminClient
  let chat: ChatClient
  let keyId: string
  let now = NOON
  before(async () => {
    provider = await startFakeProvider()
    // The store's clock is the real one. It would remove lines of this March after the usual retention.
    const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.url, LEDGER_RETENTION_DAYS: '36500' }
    gateway = await startGateway({ env, overrides: { now: () => now } })
    admin = adminClient(gateway.adminUrl)
    chat = chatClient(gateway.url)
    await makeHistory()
  })
  after(async () => {
    await gateway.close()
    await provider.close()
  })

  /** Day one: two priced calls and a failure. Day two: a stream by another key, and a call without a price. */
  async function makeHistory() {
    await chat.whole({ model: 'openai/gpt-4o', ...HELLO })
    await chat.whole({ model: 'openai/gpt-4o', ...HELLO })
    provider.next(failure(500))
    await chat.whole({ model: 'openai/gpt-4o', ...HELLO })
    now += DAY_MS
    const { id, key } = await admin.issue()
    keyId = id
    provider.next(stream(textEvents('Hello', { model: 'gpt-4o' })))
    await chat.stream({ model: 'openai/gpt-4o', ...HELLO }, { headers: { authorization: `Bearer ${key}` } })
    await chat.whole({ model: 'openai/has-no-price', ...HELLO })
    await chat.whole({ model: 'sandbox/echo', ...HELLO })
  }

  test('by model has a line for each, with its sums and latencies', async () => {
    const { items, total } = await report('group_by=model')
    assert.deepEqual(namesOf(items), ['openai/gpt-4o', 'openai/has-no-price', 'sandbox/echo'])
    const { cost, latency_ms: latency, ...sums } = items[0]!
    const { p50, p95, p99 } = latency as Record<string, number>
    assert.ok(0 < p50! && p50! <= p95! && p95! <= p99!, JSON.stringify(latency))
    assert.deepEqual(sums, {
      group: 'openai/gpt-4o',
      name: null,
      requests: 4,
      failed_requests: 1,
      unpriced_requests: 0,
      prompt_tokens: 27,
      cached_tokens: 0,
      completion_tokens: 36,
      total_tokens: 63,
    })
    assert.equal(cost, COST_OF_THREE)
    assert.deepEqual([items[1]!.unpriced_requests, items[1]!.cost], [1, 0])
    assert.deepEqual([items[2]!.unpriced_requests, items[2]!.cost], [0, 0])
    assert.deepEqual([total.requests, total.failed_requests, total.unpriced_requests], [6, 1, 1])
    assert.equal(total.cost, COST_OF_THREE)
  })

  test('by everything that a report groups by; by model by default', async () => {
    const byKey = await report('group_by=key')
    assert.deepEqual(countsOf(byKey.items), { 'env-live': 5, [keyId]: 1 })
    assert.deepEqual(byKey.items.map(({ name }) => name).sort(), ['GATEHOUSE_API_KEY', 'test'])
    assert.deepEqual(countsOf((await report('group_by=provider')).items), { openai: 5, sandbox: 1 })
    assert.deepEqual(countsOf((await report('group_by=day')).items), { '2026-03-10': 3, '2026-03-11': 3 })
    assert.deepEqual(countsOf((await report('group_by=owner')).items), { default: 5, [keyId]: 1 })
    assert.deepEqual(countsOf((await report('group_by=endpoint')).items), { chat: 6 })
    assert.deepEqual(countsOf((await report('group_by=status')).items), { '2xx': 5, '5xx': 1 })
    const byHour = { '2026-03-10T12:00Z': 3, '2026-03-11T12:00Z': 3 }
    assert.deepEqual(countsOf((await report('group_by=hour')).items), byHour)
    assert.equal((await report('')).group_by, 'model')
    const totals = await Promise.all(USAGE_GROUPS.map(async (by) => (await report(`group_by=${by}`)).total))
    for (const { cost, ...total } of totals) {
      assert.equal(cost, totals[0]!.cost)
      assert.deepEqual({ ...total, cost: 0 }, { ...totals[0], cost: 0 })
    }
  })

  test('from is included, to is not, in any way to write a time', async () => {
    const requests = async (query: string) => (await report(query)).total.requests
    assert.equal(await requests('from=2026-03-10&to=2026-03-11'), 3)
    assert.equal(await requests('from=2026-03-11&to=2026-03-12'), 3)
    assert.equal(await requests('from=2026-03-10T12:00:00Z&to=2026-03-11T12:00:00.000Z'), 3)
    assert.equal(await requests(`from=${NOON}&to=${NOON + DAY_MS + 1}`), 6)
    assert.equal(await requests(`from=${NOON + 1}&to=${NOON + DAY_MS}`), 0)
    assert.equal(await requests('from=2026-03-10T14:00:00%2B02:00&to=2026-03-10T14:00:01%2B02:00'), 3)
    assert.equal(await requests('from=2026-03-12&to=2026-03-10'), 0)
    assert.equal(await requests('to=2026-03-11'), 3)
    const empty = await report('from=2020-01-01&to=2020-01-02')
    assert.deepEqual([empty.items, empty.total.cost], [[], 0])
    assert.deepEqual([empty.from, empty.to], ['2020-01-01T00:00:00.000Z', '2020-01-02T00:00:00.000Z'])
  })

  test('without a span it is the last 30 days', async () => {
    const { from, to } = await report('')
    assert.equal(Date.parse(to) - Date.parse(from), 30 * DAY_MS)
    now += 40 * DAY_MS
    assert.equal((await report('')).total.requests, 0)
    now -= 40 * DAY_MS
  })

  test('a sum has no floating-point noise', async () => {
    now += 2 * DAY_MS
    for (let calls = 0; calls < 5; calls++) await chat.whole({ model: 'openai/gpt-4o-mini', ...HELLO })
    // 0.15 and 0.6 USD per million; added up as they are, 0.000042749999999999996.
    const { items, total } = await report('from=2026-03-13&to=2026-03-14')
    assert.deepEqual([items[0]!.cost, total.cost], [0.00004275, 0.00004275])
    now -= 2 * DAY_MS
  })

  test('what is no time and no group is 422, in its place', async () => {
    const times = [
      'soon',
      '',
      '2026-13-01',
      '2026-02-30T25:00:00Z',
      'hello 2026',
      '1.5',
      '-1',
      '-271821-04-20T00:00:00Z',
      '%2B275760-09-13',
      "1' OR '1'='1",
      '9'.repeat(20),
    ]
    for (const time of times) {
      for (const name of ['from', 'to']) await assertRefused(`${name}=${time}`, name)
    }
    for (const group of ['', 'team', 'KEY', 'key,model', 'constructor', '__proto__'])
      await assertRefused(`group_by=${group}`, 'group_by')
    await assertRefused('group_by=key&group_by=day', 'group_by')
    await assertRefused('from=2026-03-10&from=2026-03-11', 'from')
  })

  async function report(query: string): Promise<UsageReport> {
    const { status, body, text } = await admin.get<UsageReport>(`/admin/usage?${query}`)
    assert.equal(status, 200, text)
    assert.deepEqual(validator(UsageReport).issues(body, []), [])
    return body
  }

  async function assertRefused(query: string, field: string): Promise<void> {
    const { status, body } = await admin.get<Refusal>(`/admin/usage?${query}`)
    assert.equal(status, 422, query)
    assert.deepEqual(body.detail[0]!.loc, ['query', field])
  }
})

function namesOf(items: UsageReport['items']): string[] {
  return items.map(({ group }) => group).sort()
}

function countsOf(items: UsageReport['items']): Record<string, number> {
  return Object.fromEntries(items.map(({ group, requests }) => [group, requests]))
}
