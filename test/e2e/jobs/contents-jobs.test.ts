import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { OpenAI } from 'openai'
import type { RequestContent } from '../../../src/contract/admin/content.ts'
import { uuidOf } from '../../../src/endpoints/responses/response-ids.ts'
import { answer, failure } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { stream } from '../../fakes/stream.ts'
import { type AdminClient, type AdminReply, adminClient } from '../../gateway/admin-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

// What is kept of jobs and of responses in the background: the same as of calls whose callers wait, under the id of the job.

const POLL_MS = 10
const PNG = `data:image/png;base64,${'iVBORw0KGgo'.repeat(200)}`
const MODEL = 'openai/gpt-4o-mini'
const TASK = { model: 'text/moderation/sandbox', input: { text: 'Write to ada@example.com.' } }

for (const { name, skip, newStore } of await storeKinds())
  describe(`contents of jobs on ${name}`, { skip }, () => {
    let provider: FakeProvider
    let gateway: GatewayUnderTest
    let admin: AdminClient
    let tasks: TaskClient
    let client: OpenAI
    let project: string
    let key: { id: string; key: string }
    let projects = 0
    const closing = new AsyncDisposableStack()
    before(async () => {
      provider = await startFakeProvider()
      closing.defer(() => provider.close())
      const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.url }
      gateway = await startGateway({ newStore, env })
      closing.defer(() => gateway.close())
      admin = adminClient(gateway.adminUrl)
    })
    beforeEach(async () => {
      project = `project-${projects++}`
      await admin.post('/admin/projects', { name: project, id: project })
      key = await admin.issue({ project })
      tasks = taskClient(gateway.url, key.key)
      client = new OpenAI({ apiKey: key.key, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
    })
    after(() => closing.disposeAsync())

    test('of a job that has ended, what was asked is kept in the mode of its project', async () => {
      await keep({ mode: 'full' })
      const full = await job()
      assert.deepEqual((await content(full)).body.request, TASK)
      await keep({ mode: 'redacted' })
      const { body } = await content(await job())
      assert.deepEqual(body.request, { ...TASK, input: { text: 'Write to [EMAIL_1].' } })
      assert.deepEqual([body.answer, body.mode, body.status], [null, 'redacted', 200])
    })

    test('a job that failed is kept with its error', async () => {
      await keep({ mode: 'full' })
      provider.next(failure(400, { message: 'no' }))
      const { body } = await content(await job({ model: 'text/sentiment_analysis/openai/gpt-4o-mini' }))
      assert.equal(body.code, 'bad_request')
      assert.deepEqual((body.request as typeof TASK).input, TASK.input)
    })

    test('a response in the background is kept with its answer, and its submission is not kept apart', async () => {
      await keep({ mode: 'full' })
      provider.next(answer({ content: 'Whole words.' }))
      const { body } = await content(await response({ input: 'Ask A' }))
      assert.match(JSON.stringify(body.request), /Ask A/)
      assert.match(JSON.stringify(body.answer), /Whole words\./)
      assert.equal((await rowsOf()).length, 1)
    })

    test('of a streamed one, its texts are kept; following it keeps nothing more', async () => {
      await keep({ mode: 'full' })
      provider.next(stream(textEvents('Streamed words.')))
      const events = await client.responses.create({ model: MODEL, input: 'Ask B', background: true, stream: true })
      let id = ''
      for await (const event of events) if (event.type === 'response.completed') id = event.response.id
      for await (const _ of await client.responses.retrieve(id, { stream: true }));
      const { body } = await content(uuidOf(id))
      assert.match(JSON.stringify(body.answer), /Streamed words\./)
      assert.equal((await rowsOf()).length, 1)
    })

    test('bytes are described and not kept', async () => {
      await keep({ mode: 'full' })
      const input = [
        { role: 'user' as const, content: [{ type: 'input_image' as const, image_url: PNG, detail: 'auto' as const }] },
      ]
      const { body } = await content(await response({ input }))
      assert.match(JSON.stringify(body.request), /\[image\/png, \d+ bytes\]/)
      assert.ok(!JSON.stringify(body).includes('iVBOR'))
    })

    test('`store: false`, a policy without retention and a project that keeps nothing win', async () => {
      await job()
      await keep({ mode: 'full' })
      await job({ provider_params: { store: false } })
      await admin.patch(`/admin/projects/${project}`, { content: null })
      await response({ input: 'x' })
      await keep({ mode: 'full' })
      await admin.patch(`/admin/keys/${key.id}`, { policy: { data_policy: 'zero_retention' } })
      assert.equal((await tasks.submit(TASK)).status, 403)
      await gateway.gateway.services.calls.contents.written()
      assert.deepEqual(await rowsOf(), [])
    })

    test('a recording counts a job once', async () => {
      await admin.post(`/admin/keys/${key.id}/record`, { requests: 1, expires_in_seconds: 60, mode: 'full' })
      const first = await job()
      assert.equal((await content(first)).status, 200)
      assert.equal((await content(await job())).status, 404)
    })

    test('without the key of its project it cannot be read', async () => {
      await keep({ mode: 'full' })
      const id = await job()
      assert.equal((await content(id)).status, 200)
      await admin.delete(`/admin/projects/${project}`)
      assert.equal((await content(id)).status, 404)
      assert.deepEqual(await rowsOf(), [])
    })

    async function keep(settings: object): Promise<void> {
      const { status, text } = await admin.patch(`/admin/projects/${project}`, { content: settings })
      assert.equal(status, 200, text)
    }

    /** A job that has ended. Returns its id. */
    async function job(more: object = {}): Promise<string> {
      const { body, text } = await tasks.submit({ ...TASK, ...more })
      assert.ok(body.job_id, text)
      await tasks.ended(body.job_id)
      return body.job_id
    }

    /** A response in the background that has ended. Returns the id of its job. */
    async function response(asked: { input: OpenAI.Responses.ResponseCreateParams['input'] }): Promise<string> {
      const { id } = await client.responses.create({ model: MODEL, input: asked.input!, background: true })
      while ((await client.responses.retrieve(id)).status !== 'completed') await sleep(POLL_MS)
      return uuidOf(id)
    }

    /** It is kept a moment after the job has ended. */
    async function content(id: string): Promise<AdminReply<RequestContent>> {
      await gateway.gateway.services.calls.contents.written()
      return await admin.get(`/admin/requests/${id}/content`)
    }

    function rowsOf(): Promise<{ id: string }[]> {
      return gateway.gateway.services.calls.db.query('SELECT id FROM contents WHERE project = $1', [project])
    }
  })
