import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { OpenAI, toFile } from 'openai'
import { sweepFiles } from '../../../src/calls/files/files.ts'
import type { RequestList } from '../../../src/contract/admin/requests.ts'
import { answer, failure } from '../../fakes/behaviours.ts'
import { PNG_IMAGE } from '../../fakes/images.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { startReceiver } from '../../fakes/webhook-receiver.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { batchClient, chatLine, type Line } from '../../gateway/batch-client.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

const TIMING = { pollMs: 20, heartbeatMs: 50, keyMs: -1 }
const BUDGET = { id: 'team', limit: 0.0001, window: 'day', appliesTo: 'all' }

for (const { name, skip, newStore } of await storeKinds())
  describe(`batches on ${name}`, { skip }, () => {
    let limits: LimitsGateway
    let receiver: Awaited<ReturnType<typeof startReceiver>>
    before(async () => {
      receiver = await startReceiver()
      limits = await startLimitsGateway(
        { batchTiming: TIMING, jobGraceMs: 0 },
        { ALLOW_NETWORKS: '127.0.0.0/8' },
        { newStore },
      )
    })
    after(async () => {
      await limits?.close()
      await receiver?.stop()
      assert.doesNotMatch(limits?.gateway.logs() ?? '', /unexpected error/)
    })
    beforeEach(async () => {
      limits.fake.reset()
      await limits.limit({})
    })

    const admin = () => adminClient(limits.gateway.adminUrl)
    const sdk = (apiKey = API_KEY) => new OpenAI({ apiKey, baseURL: `${limits.gateway.url}/v3`, maxRetries: 0 })
    const client = (apiKey?: string) => batchClient(sdk(apiKey))

    test('each line is a call of its own, with a line in the ledger that names the batch', async () => {
      limits.fake.always(answer())
      const lines = [chatLine('one', 'Hi.', 'fake/priced'), chatLine('two', 'Hi.')]
      const batch = await client().run(lines, { callback_url: undefined })
      assert.deepEqual([batch.status, batch.errors], ['completed', null])
      assert.deepEqual([batch.endpoint, batch.metadata], ['/v3/chat/completions', { by: 'a test' }])
      const answers = await client().lines(batch.output_file_id!)
      const { body } = await admin().get<RequestList>(`/admin/requests?batch=${uuidIn(batch.id)}`)
      assert.deepEqual((await admin().get(`/admin/requests?batch=${batch.id}`)).body, body)
      assert.deepEqual(
        body.items.map(({ id, model, status, tier }) => [id, model, status, tier]).sort(),
        [
          [answers[0]!.response!.request_id, 'fake/priced', 200, null],
          [answers[1]!.response!.request_id, 'sandbox/echo', 200, null],
        ].sort(),
      )
      assert(body.items.some(({ cost }) => cost !== null && cost > 0))
    })

    test('lines may be for different endpoints, and fail one by one', async () => {
      const lines: Line[] = [
        chatLine('chat', 'Hello!'),
        {
          custom_id: 'message',
          url: '/v1/messages',
          body: { model: 'sandbox/echo', max_tokens: 9, messages: [user('Hi!')] },
        },
        { custom_id: 'response', url: '/v1/responses', body: { model: 'sandbox/echo', input: 'Hey!' } },
        {
          custom_id: 'ranked',
          url: '/v1/rerank',
          body: { model: 'sandbox/rerank', query: 'x', documents: ['x', 'y'] },
        },
        { custom_id: 'image', url: '/v1/images/generations', body: { model: 'sandbox/image', prompt: 'x' } },
        edited('edit', { image_url: `data:image/png;base64,${PNG_IMAGE.toString('base64')}` }),
        edited('file', {
          file_id: (await sdk().files.create({ file: await toFile(PNG_IMAGE, 'x.png'), purpose: 'vision' })).id,
        }),
        edited('unedited', { file_id: '00000000-0000-4000-8000-000000000000' }),
        {
          custom_id: 'task',
          url: '/v3/universal-ai',
          body: { model: 'text/moderation/sandbox', input: { text: 'x' } },
        },
        chatLine('unknown', 'Hi.', 'missing/model'),
        { custom_id: 'wrong', url: '/v1/chat/completions', body: { model: 'sandbox/echo' } },
      ]
      const batch = await client().run(lines, { endpoint: undefined as never })
      const failed = batch.error_file_id ? await client().lines(batch.error_file_id) : []
      assert.deepEqual(
        failed.map(({ custom_id, response }) => [custom_id, response?.status_code, response?.body.error?.code]),
        [
          ['unedited', 404, 'not_found'],
          ['unknown', 404, 'model_not_found'],
          ['wrong', 422, 'validation_error'],
        ],
      )
      const answers = await client().lines(batch.output_file_id!)
      assert.deepEqual(
        answers.map(({ custom_id }) => custom_id),
        ['chat', 'message', 'response', 'ranked', 'image', 'edit', 'file', 'task'],
      )
      assert.equal((answers[1]!.response!.body as { type?: string }).type, 'message')
      assert.deepEqual(batch.request_counts, { total: 11, completed: 8, failed: 3 })
    })

    test('what fails as a whole has no output file', async () => {
      const batch = await client().run([chatLine('a', 'x', 'missing/model')])
      assert.deepEqual([batch.status, batch.output_file_id], ['completed', null])
      assert.equal((await client().lines(batch.error_file_id!)).length, 1)
    })

    test('requests may come without a file', async () => {
      const created = (await limits
        .post('/v3/batches', {
          endpoint: '/chat/completions',
          requests: [{ custom_id: 'one', body: { model: 'sandbox/echo', messages: [user('Hello!')], seed: 1.0 } }],
        })
        .then((response) => response.json())) as OpenAI.Batch
      assert.equal(created.request_counts?.total, 1)
      const { output_file_id } = await client().ended(created.id)
      const [line] = await client().lines(output_file_id!)
      assert.equal(line!.response!.body.choices![0]!.message.content, 'Hello!')
    })

    test('requests without a model have the model of the batch', async () => {
      const created = (await limits
        .post('/v3/batches', {
          endpoint: '/v1/chat/completions',
          model: 'sandbox/echo',
          requests: [
            { custom_id: 'one', body: { messages: [user('Hello!')], seed: 1.0 } },
            { custom_id: 'two', body: { model: 'sandbox/tools', messages: [user('Hello!')] } },
          ],
        })
        .then((response) => response.json())) as OpenAI.Batch
      const lines = await client().lines((await client().ended(created.id)).output_file_id!)
      assert.deepEqual(
        lines.map(({ response }) => response!.body.model),
        ['sandbox/echo', 'sandbox/tools'],
      )
    })

    test('what is not valid is named with its line, and nothing is asked', async () => {
      const good = JSON.stringify(chatLine('one', 'x'))
      const lines = [
        good,
        good,
        '{"custom_id": "two"',
        JSON.stringify({ ...chatLine('three', 'x'), url: '/v1/files' }),
        JSON.stringify({ ...chatLine('four', 'x'), url: '/v1/embeddings' }),
        JSON.stringify({ ...chatLine('five', 'x'), custom_id: 5 }),
        JSON.stringify({ custom_id: 'six', method: 'POST', url: '/v1/chat/completions', body: { stream: true } }),
        JSON.stringify({ ...chatLine('seven', 'x'), method: 'GET' }),
        JSON.stringify({ custom_id: 'eight', url: '/v1/chat/completions' }),
        '[]',
      ]
      const batch = await client().run(lines)
      assert.equal(batch.status, 'failed')
      assert.deepEqual(
        batch.errors?.data?.map(({ line, code }) => [line, code]),
        [
          [2, 'duplicate_custom_id'],
          [3, 'invalid_json_line'],
          [4, 'invalid_url'],
          [5, 'mismatched_url'],
          [6, 'missing_custom_id'],
          [7, 'invalid_stream'],
          [8, 'invalid_method'],
          [9, 'missing_body'],
          [10, 'invalid_line'],
        ],
      )
      assert.match(batch.errors!.data![2]!.message!, /one of \/v3\/chat\/completions, /)
      assert.deepEqual([batch.output_file_id, batch.error_file_id], [null, null])
      const empty = await client().ended((await sdk().batches.create(await fileOf('\n\r\n'))).id)
      assert.deepEqual(
        empty.errors?.data?.map(({ code }) => code),
        ['empty_file'],
      )
    })

    test('a file may begin with a byte order mark, and its lines may end with CRLF', async () => {
      const text = `\uFEFF${JSON.stringify(chatLine('one', 'x'))}\r\n\r\n${JSON.stringify(chatLine('two', 'ü'))}`
      const batch = await client().ended((await sdk().batches.create(await fileOf(text))).id)
      assert.deepEqual([batch.errors, batch.request_counts?.completed], [null, 2])
      const answers = await client().lines(batch.output_file_id!)
      assert.deepEqual(
        answers.map(({ response }) => response!.body.choices![0]!.message.content),
        ['x', 'ü'],
      )
    })

    test('a request that is not valid is refused', async () => {
      const options = { endpoint: '/v1/chat/completions', completion_window: '24h' } as const
      const image = await sdk().files.create({ file: new File(['x'], 'x'), purpose: 'user_data' })
      for (const [body, field] of [
        [{ ...options, input_file_id: image.id }, 'input_file_id'],
        [{ ...options }, 'input_file_id'],
        [{ ...options, input_file_id: image.id, completion_window: '200h' }, 'completion_window'],
        [{ ...options, input_file_id: image.id, endpoint: '/v1/files' }, 'endpoint'],
        [{ ...options, input_file_id: image.id, requests: [{ custom_id: 'x', body: {} }] }, 'requests'],
        [{ ...options, input_file_id: image.id, model: 'sandbox/echo' }, 'model'],
      ] as const) {
        const response = await limits.post('/v3/batches', body)
        const { error } = (await response.json()) as { error: { param: string } }
        assert.deepEqual([response.status, error.param], [422, field])
      }
      const unknown = { ...options, input_file_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6' }
      assert.equal((await limits.post('/v3/batches', unknown)).status, 404)
    })

    test('the batch of another owner is unknown', async () => {
      const { id } = await client().run([chatLine('one', 'x')])
      const stranger = sdk((await admin().issue()).key)
      const never = 'batch_00000000000000000000000000000000'
      const told = async (ask: () => Promise<unknown>) => {
        const failed = await ask().then(
          () => assert.fail(),
          (error: InstanceType<typeof OpenAI.APIError>) => error,
        )
        return [failed.status, failed.message]
      }
      for (const method of ['retrieve', 'cancel'] as const)
        assert.deepEqual(
          await told(() => stranger.batches[method](id)),
          await told(() => stranger.batches[method](never)),
        )
      assert.deepEqual((await stranger.batches.list()).data, [])
      const file = (await sdk().batches.retrieve(id)).input_file_id
      const copied = { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' } as const
      assert.equal((await told(() => stranger.batches.create(copied)))[0], 404)
    })

    test('what a key may not do, its lines may not do either', async () => {
      const { key } = await admin().issue({ scopes: ['files', 'chat', 'model:sandbox/*'] })
      const lines = [
        chatLine('own', 'x'),
        chatLine('other', 'x', 'fake/priced'),
        {
          custom_id: 'ranked',
          url: '/v1/rerank',
          body: { model: 'sandbox/rerank', query: 'x', documents: ['x', 'y'] },
        },
      ]
      const batch = await client(key).run(lines, { endpoint: undefined as never })
      assert.equal(batch.request_counts?.completed, 1)
      const failed = await client(key).lines(batch.error_file_id!)
      assert.deepEqual(
        failed.map(({ custom_id, response }) => [custom_id, response?.status_code]),
        [
          ['other', 403],
          ['ranked', 403],
        ],
      )
      assert.equal(limits.fake.requests.length, 0)
    })

    test('a key that is revoked ends its batch', async () => {
      const { key, id } = await admin().issue()
      const held = holdFake()
      const { id: batchId } = await client(key).create(many(40, 'fake/priced'))
      await held.asked
      assert.equal((await admin().delete(`/admin/keys/${id}`)).status, 204)
      held.release()
      const row = await rowOf(batchId, (found) => found.state === 'failed')
      assert.match(row.problems, /key_revoked/)
      assert(limits.fake.requests.length <= 40)
    })

    test('an empty budget pauses the batch, which goes on when there is money again', async () => {
      limits.fake.always(answer())
      await limits.limit({ budgets: [BUDGET] })
      const { id } = await client().create(many(3, 'fake/priced'))
      let batch = await sdk().batches.retrieve(id)
      while (pausedReason(batch) === null) {
        await sleep(10)
        batch = await sdk().batches.retrieve(id)
      }
      assert.match(pausedReason(batch)!, /budget 'team'/)
      assert.equal(batch.status, 'in_progress')
      assert.equal(batch.request_counts?.failed, 0)
      await limits.limit({ budgets: [{ ...BUDGET, limit: 100 }] })
      await wake(id)
      const ended = await client().ended(id)
      assert.deepEqual([ended.status, ended.request_counts], ['completed', { total: 3, completed: 3, failed: 0 }])
      assert.equal(limits.fake.requests.length, 3)
    })

    test('a rate limit of a provider pauses the batch, and no line fails', async () => {
      for (let count = 0; count < 2; count++) limits.fake.next(failure(429, {}, { 'retry-after': '60' }))
      limits.fake.always(answer())
      const { id } = await client().create(many(2, 'fake/priced'))
      await rowOf(id, ({ paused_reason }) => paused_reason !== null)
      await wake(id)
      const ended = await client().ended(id)
      assert.deepEqual(ended.request_counts, { total: 2, completed: 2, failed: 0 })
    })

    test('a batch that is cancelled waits for what was sent, and sends no more', async () => {
      const held = holdFake()
      const { id } = await client().create(many(100, 'fake/priced'))
      await held.asked
      const cancelled = await sdk().batches.cancel(id)
      assert.equal(cancelled.status, 'cancelling')
      held.release()
      const batch = await client().ended(id)
      assert.equal(batch.status, 'cancelled')
      const sent = limits.fake.requests.length
      assert.deepEqual(batch.request_counts, { total: 100, completed: sent, failed: 100 - sent })
      assert.equal((await client().lines(batch.output_file_id!)).length, sent)
      const unsent = await client().lines(batch.error_file_id!)
      assert.deepEqual([unsent.length, unsent[0]!.error!.code], [100 - sent, 'batch_cancelled'])
    })

    test('what was not asked when its time is over has expired', async () => {
      await limits.limit({ budgets: [{ ...BUDGET, limit: 0.00001 }] })
      const { id } = await client().create(many(2, 'fake/priced'))
      await rowOf(id, ({ paused_reason }) => paused_reason !== null)
      await database().query('UPDATE batches SET deadline_at = 0 WHERE id = $1', [uuidIn(id)])
      const batch = await client().ended(id)
      assert.equal(batch.status, 'expired')
      const lines = await client().lines(batch.error_file_id!)
      assert.deepEqual(
        lines.map(({ error }) => error!.code),
        ['batch_expired', 'batch_expired'],
      )
    })

    test('the file of a batch is not deleted before the batch has ended', async () => {
      const held = holdFake()
      const { id, input_file_id } = await client().create(many(2, 'fake/priced'))
      const other = await client().upload('{}')
      await held.asked
      await assert.rejects(sdk().files.delete(input_file_id), /409 .*is the input of a batch that has not ended/)
      const some = await limits.post('/v3/upload/delete', { file_ids: [other, input_file_id] })
      assert.equal(some.status, 409)
      await sdk().files.retrieve(other)
      const headers = { authorization: `Bearer ${API_KEY}` }
      const all = await fetch(`${limits.gateway.url}/v3/upload`, { method: 'DELETE', headers })
      assert.equal(all.status, 200)
      await assert.rejects(sdk().files.retrieve(other), /404/)
      await database().query('UPDATE files SET expires_at = 0 WHERE id = $1', [input_file_id])
      await sweepFiles(limits.gateway.gateway.services.calls.files)
      held.release()
      assert.equal((await client().ended(id)).request_counts!.completed, 2)
      await sweepFiles(limits.gateway.gateway.services.calls.files)
      assert.deepEqual(await database().query('SELECT id FROM files WHERE id = $1', [input_file_id]), [])
    })

    test('a batch whose file is lost fails, and keeps what it has', async () => {
      const held = holdFake()
      const { id, input_file_id } = await client().create(many(100, 'fake/priced'))
      await held.asked
      await limits.gateway.gateway.services.calls.files.blobs.delete(input_file_id)
      held.release()
      const batch = await client().ended(id)
      assert.deepEqual([batch.status, batch.errors?.data?.[0]?.code], ['failed', 'file_not_found'])
      assert.equal((await client().lines(batch.output_file_id!)).length, limits.fake.requests.length)
    })

    test('a signed webhook says that it has ended', async () => {
      const arrived = once(receiver.arrivals, '/ok')
      const batch = await client().create([chatLine('one', 'x')], { callback_url: `${receiver.url}/ok` })
      await arrived
      const { headers, body } = receiver.received.find(({ path }) => path === '/ok')!
      const { created_at, timestamp, ...event } = JSON.parse(body.toString()) as Record<string, unknown>
      assert.deepEqual(event, {
        id: `evt_${batch.id}`,
        object: 'event',
        type: 'batch.completed',
        data: { id: batch.id },
      })
      assert.equal(Math.floor(Date.parse(String(timestamp)) / 1000), created_at)
      const authorization = `Bearer ${API_KEY}`
      const key = await fetch(`${limits.gateway.url}/v3/webhooks/public-key`, { headers: { authorization } })
      const signature = Buffer.from(String(headers['x-service-signature']), 'hex')
      const digest = Buffer.from(createHash('sha256').update(body).digest('hex'))
      assert(verify('sha256', digest, createPublicKey(await key.text()), signature))
      assert.match(String(headers['webhook-signature']), /^v1a,/)
    })

    test('a batch that fails, expires or is cancelled announces that, once', async () => {
      await limits.limit({ budgets: [{ ...BUDGET, limit: 0.00001 }] })
      const announced = async (lines: (Line | string)[], ending: string, end: (id: string) => Promise<unknown>) => {
        const arrived = once(receiver.arrivals, `/${ending}`)
        const { id } = await client().create(lines, { callback_url: `${receiver.url}/${ending}` })
        await end(id)
        await arrived
        assert.equal((await client().ended(id)).status, ending)
        const sent = receiver.received.filter(({ path }) => path === `/${ending}`)
        assert.deepEqual(
          sent.map(({ body }) => JSON.parse(body.toString())).map(({ type, data }) => [type, data.id]),
          [[`batch.${ending}`, id]],
        )
      }
      const paused = (id: string) => rowOf(id, ({ paused_reason }) => paused_reason !== null)
      await announced(['[]'], 'failed', async () => {})
      await announced(many(2, 'fake/priced'), 'expired', async (id) => {
        await paused(id)
        await database().query('UPDATE batches SET deadline_at = 0 WHERE id = $1', [uuidIn(id)])
      })
      await announced(many(2, 'fake/priced'), 'cancelled', async (id) => {
        await paused(id)
        await sdk().batches.cancel(id)
      })
    })

    test('an owner has a bounded number of batches that have not ended', async () => {
      await limits.limit({ budgets: [{ ...BUDGET, limit: 0.00001 }] })
      const { key } = await admin().issue()
      const input_file_id = await client(key).upload(`${JSON.stringify(chatLine('one', 'x', 'fake/priced'))}\n`)
      const options = { input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' } as const
      for (let count = 0; count < 100; count++) await sdk(key).batches.create(options)
      await assert.rejects(sdk(key).batches.create(options), { status: 429 })
    })

    function database() {
      return limits.gateway.gateway.services.calls.db
    }

    type Row = { state: string; problems: string; paused_reason: string | null }

    async function rowOf(id: string, isIt: (row: Row) => boolean): Promise<Row> {
      for (;;) {
        const sql = 'SELECT state, problems, paused_reason FROM batches WHERE id = $1'
        const [row] = await database().query<Row>(sql, [uuidIn(id)])
        if (row && isIt(row)) return row
        await sleep(10)
      }
    }

    /** The time of the pause is over. */
    async function wake(id: string): Promise<void> {
      await database().query('UPDATE batches SET resume_at = 0 WHERE id = $1 AND resume_at IS NOT NULL', [uuidIn(id)])
    }

    /** The fake answers when it is released. `asked`: it has got a request. */
    function holdFake() {
      const asked = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      const behaviour = answer()
      limits.fake.always(async (...args) => {
        asked.resolve()
        await released.promise
        await behaviour(...args)
      })
      return { asked: asked.promise, release: () => released.resolve() }
    }

    async function fileOf(text: string) {
      const input_file_id = await client().upload(text)
      return { input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' } as const
    }
  })

function many(count: number, model: string): Line[] {
  return Array.from({ length: count }, (_, index) => ({
    ...chatLine(`line-${index}`, 'Hi.', model),
    body: { model, messages: [user('Hi.')], max_tokens: 20 },
  }))
}

function edited(custom_id: string, image: object): Line {
  return { custom_id, url: '/v1/images/edits', body: { model: 'sandbox/image', prompt: 'x', images: [image] } }
}

function user(content: string) {
  return { role: 'user', content }
}

function pausedReason(batch: OpenAI.Batch): string | null {
  return (batch as OpenAI.Batch & { paused_reason: string | null }).paused_reason
}

function uuidIn(id: string): string {
  return id.replace(/^batch_(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
