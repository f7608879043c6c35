import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { OpenAI } from 'openai'
import { answer, failure, silence } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { type NewStore, storeKinds } from '../../fakes/stores.ts'
import { stream } from '../../fakes/stream.ts'
import { collect } from '../../gateway/collect.ts'
import { temporaryFolder } from '../../gateway/gateway-process.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { taskClient } from '../../gateway/task-client.ts'
import {
  type Event,
  MODEL,
  TEXT,
  EVENTS,
  clientOf,
  uuidOf,
  deltas,
  outputText,
  textOf,
} from '../../gateway/background-client.ts'

/** The worker looks for jobs of other processes every 250 ms. */
const POLL_MS = 20

type Create = OpenAI.Responses.ResponseCreateParamsNonStreaming

for (const { name, skip, newStore } of await storeKinds())
  describe(`responses in the background on ${name}`, { skip }, () => {
    let store: NewStore
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    let openai: FakeProvider
    let front: GatewayUnderTest
    let worker: GatewayUnderTest
    /** Of the process without a worker, and of the one with it. */
    let client: OpenAI
    let there: OpenAI
    before(async () => {
      store = await newStore()
      folder = await temporaryFolder()
      openai = await startFakeProvider()
      const env: Record<string, string> = { OPENAI_BASE_URL: openai.url, OPENAI_API_KEY: 'sk-fake-0123456789' }
      if (store.databaseUrl !== undefined) env.DATABASE_URL = store.databaseUrl
      worker = await startGateway({ env, dataDir: folder.path })
      front = await startGateway({ env, dataDir: folder.path, overrides: { role: 'api' } })
      client = clientOf(front)
      there = clientOf(worker)
    })
    beforeEach(() => openai.reset())
    after(async () => {
      await Promise.all([front.close(), worker.close()])
      await openai.close()
      await folder.remove()
      await store.remove()
    })

    test('are queued, run, and are read by every process, with one ledger line', async () => {
      const { promise: go, resolve: release } = Promise.withResolvers<void>()
      openai.always(async (seen, response) => {
        await go
        return answer({ content: TEXT })(seen, response)
      })
      const made = await client.responses.create({
        model: MODEL,
        input: 'Count.',
        background: true,
        metadata: { a: '1' },
      })
      assert.deepEqual([made.status, made.background, made.output, made.error], ['queued', true, [], null])
      await openai.request(0)
      assert.equal((await client.responses.retrieve(made.id)).status, 'in_progress')
      const items = await client.responses.inputItems.list(made.id)
      assert.equal(items.data.length, 1, 'its input is known while it runs')
      const continued = client.responses.create({ model: MODEL, input: 'x', previous_response_id: made.id })
      await assert.rejects(continued, { status: 400 })
      release()
      const done = await ended(made.id)
      assert.deepEqual([done.status, done.background, done.metadata], ['completed', true, { a: '1' }])
      assert.deepEqual([done.model, outputText(done)], [MODEL, TEXT])
      assert.ok((done as { cost?: number }).cost! > 0)
      assert.equal((await client.responses.inputItems.list(made.id)).data.length, 1)
      const next = await there.responses.create({ model: 'sandbox/echo', input: 'And?', previous_response_id: made.id })
      assert.equal((await client.responses.inputItems.list(next.id)).data.length, 3)
      assert.deepEqual(await linesOf(made.id), [{ status: 200, endpoint: 'chat', model: MODEL }])
      assert.equal((await taskClient(front.url).get(`/v3/universal-ai/async/${uuidOf(made.id)}`)).status, 404)
      await client.responses.delete(made.id)
      assert.equal(await statusOf(made.id), 404)
    })

    test('an answer that is cut off is incomplete; a failure is failed, with its reason', async () => {
      openai.always(answer({ content: TEXT, extra: { choices: undefined }, message: {} }))
      openai.always((_, response) => {
        const message = { role: 'assistant', content: 'One' }
        const choices = [{ index: 0, message, finish_reason: 'length' }]
        const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices, usage }))
      })
      const cut = await client.responses.create({ model: MODEL, input: 'x', background: true })
      const incomplete = await ended(cut.id)
      assert.deepEqual(
        [incomplete.status, incomplete.incomplete_details],
        ['incomplete', { reason: 'max_output_tokens' }],
      )
      openai.always(failure(400, { message: 'Too odd.' }))
      const odd = await client.responses.create({ model: MODEL, input: 'x', background: true })
      const failed = await ended(odd.id)
      assert.deepEqual([failed.status, failed.output], ['failed', []])
      assert.match(failed.error!.message, /Too odd/)
      assert.equal((await linesOf(odd.id)).length, 1)
    })

    test('what is not valid is refused at once', async () => {
      const wrong: [object, number][] = [
        [{ model: MODEL, input: 'x', store: false }, 400],
        [{ model: 'sandbox/echo', input: 'x', tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }, 422],
        [{ model: 'unknown/nothing', input: 'x' }, 404],
        [{ model: MODEL, input: 'x', previous_response_id: `resp_${'0'.repeat(32)}` }, 400],
      ]
      for (const [body, status] of wrong)
        await assert.rejects(client.responses.create({ ...body, background: true } as Create), (error) => {
          assert.equal((error as { status: number }).status, status, JSON.stringify(body))
          return true
        })
    })

    test('events are followed from another process, and resumed from any number, also when all is over', async () => {
      const { promise: go, resolve: release } = Promise.withResolvers<void>()
      openai.always(stream(EVENTS, { waitFor: go, waitAfter: 3 }))
      const followed = await client.responses.create({ model: MODEL, input: 'Count.', background: true, stream: true })
      const seen: Event[] = []
      let id = ''
      for await (const event of followed) {
        seen.push(event)
        if (event.type === 'response.created') id = event.response.id
        if (event.type === 'response.output_text.delta') break
      }
      release()
      const rest = await collect(
        await client.responses.retrieve(id, { stream: true, starting_after: seen.at(-1)!.sequence_number }),
      )
      const all = [...seen, ...rest]
      assert.deepEqual(
        all.map(({ sequence_number }) => sequence_number),
        all.map((_, at) => at),
      )
      assert.equal(all[0]!.type, 'response.created')
      assert.equal(deltas(all), TEXT)
      const last = all.at(-1) as OpenAI.Responses.ResponseCompletedEvent
      assert.deepEqual([last.type, outputText(last.response)], ['response.completed', TEXT])
      const { output_text, ...stored } = await client.responses.retrieve(id)
      assert.equal(output_text, TEXT)
      assert.deepEqual(last.response, stored)
      for (const process of [client, there]) {
        const again = await collect(await process.responses.retrieve(id, { stream: true }))
        assert.deepEqual(again, all)
        const none = await collect(
          await process.responses.retrieve(id, { stream: true, starting_after: last.sequence_number }),
        )
        assert.deepEqual(none, [])
      }
      const snapshot = await client.responses.stream({ response_id: id, starting_after: 3 } as never).finalResponse()
      assert.equal(snapshot.output_text, TEXT)
      assert.deepEqual(await linesOf(id), [{ status: 200, endpoint: 'chat', model: MODEL }])
    })

    test('a stream that fails ends with its reason; what was not streamed cannot be followed', async () => {
      openai.always(stream(EVENTS.slice(0, 3), { end: 'rst' }))
      const followed = await client.responses.create({ model: MODEL, input: 'x', background: true, stream: true })
      const types: string[] = []
      await assert.rejects(async () => {
        for await (const { type } of followed) types.push(type)
      })
      assert.equal(types.includes('response.completed'), false)
      openai.always(answer({ content: TEXT }))
      const whole = await client.responses.create({ model: MODEL, input: 'x', background: true })
      const plain = await client.responses.create({ model: 'sandbox/echo', input: 'x' })
      for (const { id } of [whole, plain])
        await assert.rejects(client.responses.retrieve(id, { stream: true }), OpenAI.BadRequestError)
      await ended(whole.id)
    })

    for (const isStreamed of [false, true])
      test(`cancelled twice is cancelled once: the provider is left, streamed: ${isStreamed}`, async () => {
        openai.always(isStreamed ? stream(EVENTS, { waitFor: new Promise(() => {}), waitAfter: 3 }) : silence())
        const asked = { model: MODEL, input: 'x', background: true }
        const id = isStreamed ? await firstId({ ...asked }) : (await client.responses.create(asked)).id
        const { closed } = await openai.request(0)
        const following = isStreamed && client.responses.retrieve(id, { stream: true })
        const cancelled = await there.responses.cancel(id)
        assert.equal(cancelled.status, 'cancelled')
        assert.equal(await closed, true)
        assert.deepEqual(await client.responses.cancel(id), cancelled)
        assert.equal((await client.responses.retrieve(id)).status, 'cancelled')
        if (following) {
          const events = await collect(await following)
          assert.equal(events.at(-1)!.type, 'response.cancelled' as string)
        }
        const [line, ...more] = await until(
          () => linesOf(id),
          (lines) => lines.length > 0,
        )
        assert.deepEqual([line, more], [{ status: 499, endpoint: 'chat', model: MODEL }, []])
      })

    test('a response that is deleted while it runs stops, is gone at once, and has one ledger line', async () => {
      openai.always(silence())
      const { id } = await client.responses.create({ model: MODEL, input: 'secret words', background: true })
      const { closed } = await openai.request(0)
      assert.deepEqual((await there.responses.delete(id)) as unknown, { id, object: 'response.deleted', deleted: true })
      assert.equal(await statusOf(id), 404)
      assert.equal(await closed, true)
      await assert.rejects(client.responses.delete(id), OpenAI.NotFoundError)
      const { db } = worker.gateway.services.calls
      assert.deepEqual(await db.query('SELECT request FROM job_requests WHERE job_id = $1', [uuidOf(id)]), [])
      assert.equal(
        (
          await until(
            () => linesOf(id),
            (lines) => lines.length > 0,
          )
        ).length,
        1,
      )
    })

    test('a conversation gets the turn when the response is made, once', async () => {
      openai.always(answer({ content: TEXT }))
      const conversation = (await client.conversations.create({ items: [{ role: 'user', content: 'Before.' }] })).id
      const made = await client.responses.create({ model: MODEL, input: 'Count.', background: true, conversation })
      assert.deepEqual(made.conversation, { id: conversation })
      assert.deepEqual((await ended(made.id)).conversation, { id: conversation })
      const { data } = await client.conversations.items.list(conversation, { order: 'asc' })
      assert.deepEqual(data.map(textOf), ['Before.', 'Count.', TEXT])
      const { messages } = (await openai.request(0)).body as { messages: { content: string }[] }
      assert.deepEqual(
        messages.map(({ content }) => content),
        ['Before.', 'Count.'],
      )
    })

    async function firstId(asked: object): Promise<string> {
      const followed = await client.responses.create({ ...asked, stream: true } as never)
      for await (const event of followed as unknown as AsyncIterable<Event>)
        if ('response' in event) return event.response.id
      return assert.fail('The stream had no event with a response')
    }

    function ended(id: string): Promise<OpenAI.Responses.Response> {
      const isOver = ({ status }: OpenAI.Responses.Response) => status !== 'queued' && status !== 'in_progress'
      return until(() => client.responses.retrieve(id), isOver)
    }

    async function statusOf(id: string): Promise<number> {
      const headers = { authorization: `Bearer ${API_KEY}` }
      return (await fetch(`${front.url}/v3/responses/${id}`, { headers })).status
    }

    async function linesOf(id: string): Promise<object[]> {
      const { db } = worker.gateway.services.calls
      const sql = 'SELECT status, endpoint, model FROM usage WHERE id LIKE $1'
      return (await db.query<object>(sql, [`${uuidOf(id)}%`])).map((row) => ({ ...row }))
    }
  })

/** Asks again until the answer is as expected. A limit of the test runner ends a test that hangs. */
async function until<Found>(look: () => Promise<Found>, isThere: (found: Found) => boolean): Promise<Found> {
  for (;;) {
    const found = await look()
    if (isThere(found)) return found
    await sleep(POLL_MS)
  }
}
