import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI, JobState } from '@google/genai'
import { OpenAI } from 'openai'
import { collect } from '../gateway/collect.ts'
import { batchClient, chatLine } from '../gateway/batch-client.ts'
import { API_KEY, startGateway } from '../gateway/gateway-under-test.ts'

// The batch examples of the official packages, unchanged but for the address and the model.

const gateway = await startGateway({ overrides: { batchTiming: { pollMs: 20 } } })
after(() => gateway.close())
const baseURL = `${gateway.url}/v3`

test('openai', async () => {
  const client = new OpenAI({ apiKey: API_KEY, baseURL, maxRetries: 0 })
  const batch = await batchClient(client).run([chatLine('request-1', 'Hello!'), chatLine('request-2', 'Good bye!')])
  assert.deepEqual([batch.status, batch.request_counts], ['completed', { total: 2, completed: 2, failed: 0 }])
  const answers = await batchClient(client).lines(batch.output_file_id!)
  assert.deepEqual(
    answers.map(({ custom_id, response }) => [custom_id, response?.body.choices?.[0]?.message.content]),
    [
      ['request-1', 'Hello!'],
      ['request-2', 'Good bye!'],
    ],
  )
  const listed = await collect(client.batches.list({ limit: 1 }))
  assert.deepEqual(
    listed.map(({ id }) => id),
    [batch.id],
  )
  await assert.rejects(client.batches.cancel(batch.id), { status: 409 })
})

describe('anthropic', () => {
  const client = new Anthropic({ apiKey: API_KEY, baseURL, maxRetries: 0 })
  const { batches } = client.messages
  const request = (custom_id: string, content: string, more = {}) => ({
    custom_id,
    params: { model: 'sandbox/echo', max_tokens: 100, messages: [{ role: 'user' as const, content }], ...more },
  })

  test('creates a batch, waits for its end and reads its results', async () => {
    const requests = [request('one', 'Hello!'), request('two', 'Good bye!', { model: 'missing/model' })]
    const created = await batches.create({ requests })
    assert.equal(created.processing_status, 'in_progress')
    const ended = await endOf(created.id)
    assert.deepEqual(ended.request_counts, { processing: 0, succeeded: 1, errored: 1, canceled: 0, expired: 0 })
    const [first, second, ...rest] = await collect(await batches.results(created.id))
    assert.equal(rest.length, 0)
    assert(first?.custom_id === 'one' && first.result.type === 'succeeded')
    assert.deepEqual(first.result.message.content, [{ type: 'text', text: 'Hello!' }])
    assert(second?.custom_id === 'two' && second.result.type === 'errored')
    assert.deepEqual([second.result.error.type, second.result.error.error.type], ['error', 'not_found_error'])
    const listed = await collect(batches.list({ limit: 1 }))
    assert.deepEqual(
      listed.map(({ id }) => id),
      [created.id],
    )
    assert.deepEqual(await batches.delete(created.id), { id: created.id, type: 'message_batch_deleted' })
    await assert.rejects(batches.retrieve(created.id), Anthropic.NotFoundError)
  })

  test('is told at once which request is not valid', async () => {
    const twice = [request('one', 'Hello!'), request('one', 'Hello!')]
    await assert.rejects(batches.create({ requests: twice }), /requests\.1\.custom_id/)
    await assert.rejects(batches.create({ requests: [request('a b', '')] }), /requests\.0\.custom_id/)
  })

  test('cancels a batch', async () => {
    // The sandbox waits before it answers.
    const requests = Array.from({ length: 200 }, (_, index) =>
      request(`n${index}`, 'Hello!', { model: 'sandbox/slow' }),
    )
    const { id } = await batches.create({ requests })
    assert.equal((await batches.cancel(id)).processing_status, 'canceling')
    const { request_counts } = await endOf(id)
    assert.equal(request_counts.canceled + request_counts.succeeded + request_counts.errored, 200)
    assert(request_counts.canceled > 0)
    const results = await collect(await batches.results(id))
    const cancelled = results.filter(({ result }) => result.type === 'canceled')
    assert.deepEqual([results.length, cancelled.length], [200, request_counts.canceled])
  })

  async function endOf(id: string) {
    for (;;) {
      const batch = await batches.retrieve(id)
      if (batch.processing_status === 'ended') return batch
      await sleep(20)
    }
  }
})

describe('google', () => {
  const client = new GoogleGenAI({ apiKey: API_KEY, httpOptions: { baseUrl: baseURL } })
  const { batches } = client
  const contents = (text: string) => [{ role: 'user', parts: [{ text }] }]

  test('inline requests are answered inline', async () => {
    const src = [
      { contents: contents('Hello!'), metadata: { key: 'one' } },
      { contents: contents('Good bye!'), model: 'missing/model' },
    ]
    const created = await batches.create({ model: 'sandbox/echo', src, config: { displayName: 'two greetings' } })
    assert.match(created.name!, /^batches\/[0-9a-f]{32}$/)
    const ended = await endOf(created.name!)
    assert.deepEqual([ended.state, ended.displayName], [JobState.JOB_STATE_SUCCEEDED, 'two greetings'])
    const [first, second, ...rest] = ended.dest!.inlinedResponses!
    assert.equal(rest.length, 0)
    const text = first!.response!.candidates![0]!.content!.parts![0]!.text
    assert.deepEqual([text, first!.metadata], ['Hello!', { key: 'one' }])
    assert.deepEqual([second!.error!.code, second!.metadata], [5, undefined])
    const listed = await collect(await batches.list({ config: { pageSize: 1 } }))
    assert.deepEqual(
      listed.map(({ name }) => name),
      [created.name],
    )
    await batches.delete({ name: created.name! })
    await assert.rejects(batches.get({ name: created.name! }), { status: 404 })
  })

  test("the request of Google's REST example has names in snake case", async () => {
    const post = async (batch: object) => {
      const headers = { 'x-goog-api-key': API_KEY, 'content-type': 'application/json' }
      const url = `${baseURL}/v1beta/models/sandbox/echo:batchGenerateContent`
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ batch }) })
      const body = (await answer.json()) as { name: string; error?: { message: string } }
      return { status: answer.status, body }
    }
    const request = { contents: contents('Hello!') }
    const inline = { requests: { requests: [{ request, metadata: { key: 'request-1' } }] } }
    const { body } = await post({ display_name: 'my-batch-requests', input_config: inline })
    const { dest, displayName } = await endOf(body.name)
    assert.deepEqual([displayName, dest!.inlinedResponses!.length], ['my-batch-requests', 1])
    const file = new Blob([JSON.stringify({ key: 'one', request })], { type: 'application/jsonl' })
    const { name } = await client.files.upload({ file })
    const ofFile = await post({ input_config: { file_name: name } })
    assert.equal((await endOf(ofFile.body.name)).state, JobState.JOB_STATE_SUCCEEDED)
    const without = await post({})
    assert.equal(without.status, 422)
    assert.match(without.body.error!.message, /name a file, or send requests/)
  })

  test('requests in a file are answered in a file', async () => {
    const lines = ['one', 'two'].map((key) => JSON.stringify({ key, request: { contents: contents(key) } }))
    const file = new Blob([lines.join('\n')], { type: 'application/jsonl' })
    const { name } = await client.files.upload({ file })
    const created = await batches.create({ model: 'sandbox/echo', src: { fileName: name! } })
    const { dest, state } = await endOf(created.name!)
    assert.equal(state, JobState.JOB_STATE_SUCCEEDED)
    const url = `${baseURL}/v1beta/${dest!.fileName}:download?alt=media`
    const text = await (await fetch(url, { headers: { 'x-goog-api-key': API_KEY } })).text()
    const answers = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      answers.map(({ key, response }) => [key, response.candidates[0].content.parts[0].text]),
      [
        ['one', 'one'],
        ['two', 'two'],
      ],
    )
  })

  async function endOf(name: string) {
    for (;;) {
      const batch = await batches.get({ name })
      const isRunning = batch.state === JobState.JOB_STATE_PENDING || batch.state === JobState.JOB_STATE_RUNNING
      if (!isRunning) return batch
      await sleep(20)
    }
  }
})
