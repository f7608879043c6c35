import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { FAMILIES, type FamilyInfo, type FamilyName } from '../../../src/platform/telemetry/family-table.ts'
import { answer, silence } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { stream } from '../../fakes/stream.ts'
import { startReceiver } from '../../fakes/webhook-receiver.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { LONG_MS } from '../../gateway/limited-send.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'
import { type Family, parsePrometheus } from '../../gateway/prometheus-text.ts'
import { taskClient } from '../../gateway/task-client.ts'

const JOB = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }
const ENDPOINT = 'POST /v3/chat/completions'
const POLL_MS = 20

for (const { name, skip, newStore } of await storeKinds())
  describe(`metrics of the gateway and its store on ${name}`, { skip }, () => {
    let opened: LimitsGateway
    let receiver: Awaited<ReturnType<typeof startReceiver>>
    let remove: () => Promise<void>
    /** What is read of the store is read again when this has moved on. */
    let elapsed = 0
    let stoppedAt: number | undefined
    before(async () => {
      const store = await newStore()
      remove = store.remove
      receiver = await startReceiver()
      const env = { ALLOW_NETWORKS: '127.0.0.0/8', ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }) }
      const monotonic = () => stoppedAt ?? Math.floor(performance.now()) + elapsed
      // On a busy machine, too, the page waits for the store.
      const waits = { deliveryDelaysMs: [10, LONG_MS], alertRoundMs: LONG_MS, storeMetricsMs: LONG_MS }
      opened = await startLimitsGateway({ ...waits, monotonic }, env)
    })
    after(async () => {
      await opened?.close()
      await receiver?.stop()
      await remove?.()
    })

    test('every family of the table is on the page with its type, and no other', async () => {
      const families = await scrape()
      assert.deepEqual([...families.keys()].sort(), Object.keys(FAMILIES).sort())
      for (const [family, { type, help }] of Object.entries<FamilyInfo>(FAMILIES))
        assert.deepEqual([families.get(family)!.type, families.get(family)!.help], [type, help])
    })

    test('an answer and a stream have an overhead that is a part of their duration', async () => {
      await opened.chat().then((response) => response.text())
      opened.fake.next(stream(textEvents('One two three')))
      await opened.chat({ stream: true }).then((response) => response.text())
      const families = await scrape()
      assert.equal(sampleOf(families, 'gatehouse_overhead_seconds', { endpoint: ENDPOINT }, '_count'), 2)
      const overhead = sampleOf(families, 'gatehouse_overhead_seconds', { endpoint: ENDPOINT }, '_sum')!
      const whole = sampleOf(families, 'gatehouse_request_duration_seconds', { endpoint: ENDPOINT }, '_sum')!
      assert.ok(overhead > 0 && overhead < whole, `${overhead} of ${whole}`)
      assert.ok(sampleOf(families, 'gatehouse_stream_event_overhead_seconds', {}, '_count')! > 0)
    })

    test('the time in which a provider thinks is no overhead', async () => {
      const before = await scrape()
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      let thoughtMs = 0
      opened.fake.next(async (request, response) => {
        const begun = performance.now()
        await released
        thoughtMs = performance.now() - begun
        await answer()(request, response)
      })
      const chatting = opened.chat().then((response) => response.text())
      await opened.fake.request(opened.fake.requests.length)
      setTimeout(release, 100)
      await chatting
      const families = await scrape()
      const grown = (name: FamilyName) => sumOf(families, name) - sumOf(before, name)
      const others = grown('gatehouse_request_duration_seconds') - thoughtMs / 1000
      assert.ok(grown('gatehouse_overhead_seconds') <= others)
    })

    test('a connection that is in use is busy, and idle afterwards', async () => {
      opened.fake.next(silence())
      const leaving = new AbortController()
      const waiting = fetch(`${opened.gateway.url}/v3/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'fake/priced', messages: [{ role: 'user', content: 'x' }] }),
        signal: leaving.signal,
      })
      await opened.fake.request(opened.fake.requests.length)
      assert.equal(sampleOf(await scrape(), 'gatehouse_upstream_connections_busy', { provider: 'fake' }), 1)
      leaving.abort()
      await assert.rejects(waiting)
    })

    test('keys that were looked up once are found in memory then', async () => {
      const { key } = await adminClient(opened.gateway.adminUrl).issue()
      const before = await scrape()
      for (let i = 0; i < 3; i++) await opened.chat({}, { authorization: `Bearer ${key}` })
      const families = await scrape()
      const grown = (name: FamilyName) => sampleOf(families, name)! - sampleOf(before, name)!
      assert.equal(grown('gatehouse_key_cache_misses_total'), 1)
      assert.equal(grown('gatehouse_key_cache_hits_total'), 2)
      assert.equal(sampleOf(families, 'gatehouse_key_cache_entries'), 1)
    })

    test('jobs and webhooks are counted when they wait and when they end', async () => {
      const client = taskClient(opened.gateway.url)
      const { public_id } = (await client.submit({ ...JOB, webhook_receiver: `${receiver.url}/500` })).body
      await client.ended(public_id)
      await client.ended((await client.submit({ ...JOB, webhook_receiver: `${receiver.url}/204` })).body.public_id)
      const families = await until(
        (found) => sampleOf(found, 'gatehouse_delivery_attempts_total', { outcome: 'retry' }) === 2,
      )
      const ran = { feature: 'text/moderation', status: 'success' }
      assert.equal(sampleOf(families, 'gatehouse_job_duration_seconds', ran, '_count'), 2)
      await until((found) => sampleOf(found, 'gatehouse_delivery_attempts_total', { outcome: 'delivered' }) === 1)
      const settled = await until((found) => sampleOf(found, 'gatehouse_deliveries_pending') === 1)
      assert.ok(sampleOf(settled, 'gatehouse_deliveries_oldest_age_seconds')! >= 0)
      for (const state of ['queued', 'running']) assert.equal(sampleOf(settled, 'gatehouse_jobs', { state }), 0)
      assert.equal(sampleOf(settled, 'gatehouse_jobs_oldest_age_seconds', { state: 'queued' }), 0)
    })

    test('what is left of a budget is what it has less what was spent of it', async () => {
      await opened.limit({ budgets: [{ id: 'all-of-us', appliesTo: 'all', limit: 2, window: 'month' }] })
      assert.equal(sampleOf(await scrape(), 'gatehouse_budget_remaining_usd', { limit: 'all-of-us' }), 2)
      await opened.chat({ max_tokens: 100 }).then((response) => response.text())
      const families = await until((found) => {
        const left = sampleOf(found, 'gatehouse_budget_remaining_usd', { limit: 'all-of-us' })
        return left !== undefined && left < 2
      })
      assert.equal(sampleOf(families, 'gatehouse_budget_limit_usd', { limit: 'all-of-us' }), 2)
    })

    test('500 budgets have series, those with the smallest part left', async () => {
      const budgets = Array.from({ length: 600 }, (_, i) => {
        return { id: `b${i}`, appliesTo: `key:k${i}`, limit: 10, window: 'month' }
      })
      const full = { id: 'tight', appliesTo: 'all', limit: 0.01, window: 'month' }
      await opened.limit({ budgets: [...budgets, full] })
      await opened.chat({ max_tokens: 100 }).then((response) => response.text())
      const families = await until((found) => {
        const left = sampleOf(found, 'gatehouse_budget_remaining_usd', { limit: 'tight' })
        return left !== undefined && left < 0.01
      })
      assert.equal(families.get('gatehouse_budget_remaining_usd')!.samples.length, 500)
    })

    test('questions to the store are timed, and its failures counted', async () => {
      const { db } = opened.gateway.gateway.services.calls
      const failures = sampleOf(await scrape(), 'gatehouse_store_errors_total', { reason: 'refused' }) ?? 0
      await assert.rejects(db.query('SELECT * FROM nothing_of_this_name'))
      const families = await scrape()
      assert.equal(sampleOf(families, 'gatehouse_store_errors_total', { reason: 'refused' }), failures + 1)
      for (const operation of ['query', 'report', 'transaction'])
        assert.ok(sampleOf(families, 'gatehouse_store_duration_seconds', { operation }, '_count')! > 0, operation)
      assert.equal(sampleOf(families, 'gatehouse_store_reachable'), 1)
    })

    test('however often the page is asked for, the store is asked once in five seconds', async () => {
      const reports = async () => {
        const families = parsePrometheus(await page())
        return sampleOf(families, 'gatehouse_store_duration_seconds', { operation: 'report' }, '_count')
      }
      await scrape()
      stoppedAt = opened.gateway.gateway.services.calls.monotonic()
      const asked = await reports()
      for (let i = 0; i < 9; i++) await reports()
      assert.equal(await reports(), asked)
      stoppedAt += 5_000
      await page()
      assert.ok((await reports())! > asked!)
      stoppedAt = undefined
    })

    async function scrape(): Promise<Map<string, Family>> {
      elapsed += 5_000
      return parsePrometheus(await page())
    }

    async function page(): Promise<string> {
      return await (await fetch(`${opened.gateway.adminUrl}/metrics`)).text()
    }

    async function until(isSo: (families: Map<string, Family>) => boolean): Promise<Map<string, Family>> {
      for (;;) {
        const families = await scrape()
        if (isSo(families)) return families
        await sleep(POLL_MS)
      }
    }
  })

function sampleOf(families: Map<string, Family>, name: FamilyName, labels: Record<string, string> = {}, suffix = '') {
  const found = families.get(name)!.samples.filter((sample) => sample.name === name + suffix)
  return found.find((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))?.value
}

function sumOf(families: Map<string, Family>, name: FamilyName): number {
  return sampleOf(families, name, { endpoint: ENDPOINT }, '_sum') ?? 0
}
