import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { status as answering } from '../../fakes/behaviours.ts'
import { gatewayWithRows } from '../../gateway/gateway-with-rows.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { EXAMPLE_PNG } from '../../../src/translation/tasks/example-files.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

const ENDED = /ended on 2026-09-24/
const VIDEO = 'video/generation_async'
const input = { text: 'Waves' }

describe('OpenAI’s video models, which ended', () => {
  let gateway: GatewayUnderTest
  let client: TaskClient
  before(async () => {
    gateway = await startGateway({ env: { OPENAI_API_KEY: 'sk-fake-0123456789' } })
    client = taskClient(gateway.url)
  })
  after(async () => {
    await gateway?.close()
  })

  const TASKS: [what: string, body: object][] = [
    ['without a model', { model: `${VIDEO}/openai`, input }],
    ['by a model', { model: `${VIDEO}/openai/sora-2`, input }],
    ['by another model', { model: `${VIDEO}/openai/sora-2-pro`, input }],
    ['by a model that never was', { model: `${VIDEO}/openai/sora-9`, input }],
    ['as a fallback', { model: `${VIDEO}/sandbox`, fallbacks: ['openai/sora-2'], input }],
  ]
  for (const [what, body] of TASKS) {
    test(`a video ${what} is refused with the day, for live and sandbox keys`, async () => {
      const { key } = await adminClient(gateway.adminUrl).issue({ kind: 'sandbox' })
      for (const one of [client, taskClient(gateway.url, key)]) {
        const { status, body: refusal } = await one.submit(body)
        assert.deepEqual([status, refusal.error.code], [404, 'model_not_found'])
        assert.match(refusal.error.message, ENDED)
      }
    })
  }

  const ENDPOINTS: [path: string, body: object][] = [
    ['chat/completions', { messages: [{ role: 'user', content: 'x' }] }],
    ['responses', { input: 'x' }],
    ['v1/messages', { max_tokens: 5, messages: [{ role: 'user', content: 'x' }] }],
    ['images/generations', { prompt: 'x' }],
    ['embeddings', { input: 'x' }],
  ]
  for (const [path, body] of ENDPOINTS) {
    test(`/v3/${path} refuses them with the day`, async () => {
      for (const model of ['openai/sora-2', 'openai/sora-2-pro-2025-10-06']) {
        const { status, text } = await client.post(`/v3/${path}`, { ...body, model })
        assert.equal(status, 404)
        assert.match(text, ENDED)
      }
    })
  }

  test('no list has them, and other providers still make videos', async () => {
    for (const path of ['/v3/models', '/v3/info', `/v3/info/${VIDEO}`]) {
      const { status, text } = await client.get(path)
      assert.equal(status, 200)
      assert.doesNotMatch(text, /sora/)
    }
    assert.equal((await client.get('/v3/models/openai/sora-2')).status, 404)
    const { body } = await client.submit({ model: `${VIDEO}/sandbox`, input })
    assert.equal((await client.ended(body.public_id)).status, 'success')
  })
})

describe('a model that the catalog calls ended', async () => {
  const { gateway, provider } = await gatewayWithRows({ google: {} })

  for (const [model, day, where] of [
    ['openai/gpt-image-1', '2026-10-23', 'the environment'],
    ['google/imagen-4.0-generate-001', '2026-08-17', 'the config file'],
  ])
    test(`is asked at an address that the operator has set in ${where}, and the answer says so`, async () => {
      provider.always(
        answering(200, {
          data: [{ b64_json: PNG }],
          candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] } }],
        }),
      )
      const headers = { 'x-gatehouse-metadata': 'enabled' }
      const body = { model, prompt: 'A fox', response_format: 'b64_json' }
      const reply = await taskClient(gateway.url).post<Drawn>('/v3/images/generations', body, headers)
      assert.equal(reply.status, 200, reply.text)
      assert.match(JSON.stringify(reply.body.gatehouse?.notes), new RegExp(`ended this model on ${day}`))
      assert.equal(provider.requests.length, 1)
    })
})

type Drawn = { gatehouse?: { notes?: object[] } }
const PNG = EXAMPLE_PNG
