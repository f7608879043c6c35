import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { noonClock } from '../../fakes/noon-clock.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { temporaryFolder } from '../../gateway/gateway-process.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { errorIn } from '../../gateway/limits-gateway.ts'

// Three processes that share limits, and one call after the other, each at another process. No call runs while another one is
// refused, so a refusal is right only if what was used leaves too little.

const PROCESSES = 3
const MODELS = [{ id: 'priced', price: { input: 1, output: 2 }, output: 100_000 }]
const USD_PER_TOKEN = 0.000002

for (const { name, skip, newStore } of await storeKinds())
  describe(`limits of three processes on ${name}`, { skip }, () => {
    const closing = new AsyncDisposableStack()
    const gateways: GatewayUnderTest[] = []
    let fake: FakeProvider
    let file: string

    before(async () => {
      const store = await newStore()
      closing.defer(store.remove)
      const folder = await temporaryFolder()
      closing.defer(folder.remove)
      fake = await startFakeProvider({ everyPath: true })
      closing.defer(fake.close)
      file = join(folder.path, 'gatehouse.config.json')
      await limit({})
      const env = {
        GATEHOUSE_CONFIG: file,
        FAKE_API_KEY: 'plain.words.as.a.key',
        ...(store.databaseUrl && { DATABASE_URL: store.databaseUrl }),
      }
      for (let index = 0; index < PROCESSES; index++) {
        const overrides = { now: noonClock(), role: index === 0 ? 'all' : 'api' } as const
        const gateway = await startGateway({ env, dataDir: folder.data, overrides })
        gateways.push(gateway)
        closing.defer(gateway.close)
      }
    })
    beforeEach(() => fake.reset())
    after(() => closing.disposeAsync())

    async function limit(sections: object) {
      const auth = { scheme: 'bearer', env: 'FAKE_API_KEY' }
      const providers = { fake: { dialect: 'openai', baseUrl: fake.url, auth, models: MODELS } }
      await writeFile(file, JSON.stringify({ providers, ...sections }))
      for (const { gateway } of gateways) await gateway.services.operations.reloadConfig()
    }

    /** What a call has left is on its way to the store, for as long as a busy machine takes. */
    async function returned() {
      for (const { gateway } of gateways)
        for (const { share } of gateway.services.calls.spendLimits.shares.list) await share.tell()
    }

    /** A chat that may use this many tokens, and does use this many. */
    async function chat(index: number, max_tokens: number, completion_tokens: number): Promise<Response> {
      await returned()
      fake.always(answer({ usage: { prompt_tokens: 0, completion_tokens, total_tokens: completion_tokens } }))
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ model: 'fake/priced', messages: [{ role: 'user', content: 'hi' }], max_tokens })
      const url = `${gateways[index % PROCESSES]!.url}/v3/chat/completions`
      return await fetch(url, { method: 'POST', headers, body })
    }

    async function answered(index: number, max_tokens: number, completion_tokens: number): Promise<boolean> {
      const response = await chat(index, max_tokens, completion_tokens)
      await response.arrayBuffer()
      return response.status === 200
    }

    const budget = (id: string, amount: number) => ({
      budgets: [{ id, appliesTo: 'all', limit: amount, window: 'total', onExceeded: 'refuse' }],
    })

    test('calls of one session at three processes at once do not pass what it may spend, and a new session may', async () => {
      const limits = [
        { id: 'session', appliesTo: 'all', per: 'session', limit: 0.01, window: 'idle:30m', onExceeded: 'refuse' },
      ]
      await limit({ budgets: limits })
      fake.always(answer({ usage: { prompt_tokens: 0, completion_tokens: 500, total_tokens: 500 } }))
      const statusOf = async (index: number, session: string) => {
        const headers = {
          authorization: `Bearer ${API_KEY}`,
          'content-type': 'application/json',
          'x-session-id': session,
        }
        const body = JSON.stringify({
          model: 'fake/priced',
          messages: [{ role: 'user', content: 'hi' }],
          max_tokens: 500,
        })
        const url = `${gateways[index % PROCESSES]!.url}/v3/chat/completions`
        const response = await fetch(url, { method: 'POST', headers, body })
        await response.arrayBuffer()
        return response.status
      }
      const statuses = await Promise.all(Array.from({ length: 200 }, (_, index) => statusOf(index, 'one')))
      // A call costs 0.001 USD, and reserves a little more.
      const count = statuses.filter((status) => status === 200).length
      assert.ok(count >= 5 && count <= 10, String(count))
      assert.equal(fake.requests.length, count)
      assert.equal(await statusOf(1, 'other'), 200)
      const { db } = gateways[0]!.gateway.services.calls
      for (const { gateway } of gateways) await gateway.services.calls.ledger.flush()
      const sql =
        "SELECT bucket, spent FROM limit_windows WHERE limit_id = 'session' AND window_start > 0 ORDER BY bucket"
      const windows = await db.query<{ bucket: string; spent: number }>(sql)
      assert.deepEqual(
        windows.map(({ bucket, spent }) => [bucket.split(' ')[1], Number(spent)]),
        [
          ['one', count * 1_000_000],
          ['other', 1_000_000],
        ],
      )
    })

    test('half of a small budget is spent: a call that needs nearly all of the rest is answered, by any process', async () => {
      await limit(budget('half', 0.01))
      for (let call = 0; call < 5; call++) assert.ok(await answered(call, 1_000, 500))
      for (let call = 0; call < PROCESSES; call++) assert.ok(await answered(call, 2_300, 0), `process ${call}`)
    })

    test('no call is refused as long as the budget has what it needs', async () => {
      await limit(budget('sequence', 0.02))
      let used = 0
      let refused: Record<string, unknown> | undefined
      for (let call = 0; call < 40 && !refused; call++) {
        const response = await chat(call, 900, 700)
        if (response.status !== 200) refused = await errorIn(response, 402)
        else {
          await response.arrayBuffer()
          used += 700 * USD_PER_TOKEN
        }
      }
      assert.ok(used + Number(refused!.needed) > 0.02, `${used} used: ${JSON.stringify(refused)}`)
      assert.ok(used <= 0.02)
    })

    test('requests and tokens of an hour and of a day are used up to the last', async () => {
      for (const window of ['hour', 'day']) {
        const requests = { id: `requests-${window}`, appliesTo: 'all', unit: 'requests', limit: 20, window }
        await limit({ rateLimits: [requests] })
        const statuses: boolean[] = []
        for (let call = 0; call < 22; call++) statuses.push(await answered(call, 10, 1))
        assert.deepEqual(statuses, [...Array(20).fill(true), false, false], window)
        const tokens = { id: `tokens-${window}`, appliesTo: 'all', unit: 'output_tokens', limit: 5_000, window }
        await limit({ rateLimits: [{ ...tokens, onExceeded: 'refuse' }] })
        let used = 0
        for (let call = 0; await answered(call, 500, 400); call++) used += 400
        assert.ok(used <= 5_000 && used > 5_000 - 500, `${used} tokens of the ${window}`)
      }
    })

    test('a slot is free for any process when its call has ended', async () => {
      await limit({ rateLimits: [{ id: 'slot', appliesTo: 'all', unit: 'concurrent', limit: 1 }] })
      for (let call = 0; call < 6; call++) assert.ok(await answered(call, 10, 1), `call ${call}`)
    })

    test('a call that runs keeps what it may use, and others are refused meanwhile', async () => {
      await limit(budget('running', 0.01))
      const held = Promise.withResolvers<void>()
      fake.next(async (request, response) => {
        await held.promise
        await answer({ usage: { prompt_tokens: 0, completion_tokens: 100, total_tokens: 100 } })(request, response)
      })
      const running = chat(0, 4_000, 100)
      await fake.request(0)
      await errorIn(await chat(1, 2_000, 100), 402)
      assert.ok(await answered(2, 500, 100))
      held.resolve()
      assert.equal((await running).status, 200)
      assert.ok(await answered(1, 2_000, 100))
    })
  })
