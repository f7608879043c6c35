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
const IMAGES = ['openai/dall-e-2', 'openai/dall-e-3', 'openai/gpt-image-1', 'google/imagen-4.0-generate-001']

describe('models that ended, at the address of their maker', () => {
  let gateway: GatewayUnderTest
  let client: TaskClient
  before(async () => {
    gateway = await startGateway({ env: { OPENAI_API_KEY: 'sk-fake-0123456789', GEMINI_API_KEY: 'fake-0123456789' } })
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
    test(`/v3/${path} refuses OpenAI’s video models with the day`, async () => {
      for (const model of ['openai/sora-2', 'openai/sora-2-pro-2025-10-06']) {
        const { status, text } = await client.post(`/v3/${path}`, { ...body, model })
        assert.equal(status, 404)
        assert.match(text, ENDED)
      }
    })
  }

  test('image models are refused with the day, by their name and in a task', async () => {
    for (const model of IMAGES) await refusedWithDay(client, model)
  })

  test('without a provider they are refused with the day, too', async () => {
    for (const [path, body, model] of [
      ['images/generations', { prompt: 'x' }, 'gpt-image-1'],
      ['images/generations', { prompt: 'x' }, 'models/imagen-4.0-generate-001'],
      ['chat/completions', { messages: [{ role: 'user', content: 'x' }] }, 'sora-2-pro'],
    ] as const) {
      const { status, text } = await client.post(`/v3/${path}`, { ...body, model })
      assert.equal(status, 404, text)
      assert.match(text, /ended on 2026-\d\d-\d\d/)
      assert.equal((await client.get(`/v3/models/${model}`)).status, 404)
    }
  })

  test('no list has the video models, and other providers still make videos', async () => {
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
  ] as const)
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
      const task = { model: `image/generation/${model}`, input: { text: 'A fox', resolution: '1024x1024' } }
      const done = await taskClient(gateway.url).post('/v3/universal-ai', task)
      assert.deepEqual([done.status, provider.requests.length], [200, 2], done.text)
      const bare = model.slice(model.indexOf('/') + 1)
      const again = await taskClient(gateway.url).post('/v3/images/generations', { ...body, model: bare })
      assert.deepEqual([again.status, provider.requests.length], [200, 3], again.text)
      for (const name of [model, bare])
        assert.equal((await taskClient(gateway.url).get(`/v3/models/${name}`)).status, 200, name)
    })
})

describe('a model that the catalog calls ended, if the operator says that it is not served', async () => {
  const { gateway, provider } = await gatewayWithRows({
    google: { servesEnded: false },
    openai: { servesEnded: false },
  })

  test('is refused at an address that the operator has set', async () => {
    for (const model of IMAGES) await refusedWithDay(taskClient(gateway.url), model)
    assert.equal(provider.requests.length, 0)
  })
})

async function refusedWithDay(client: TaskClient, model: string): Promise<void> {
  const task = { model: `image/generation/${model}`, input: { text: 'x', resolution: '1024x1024' } }
  for (const [path, body] of [
    ['/v3/images/generations', { model, prompt: 'x' }],
    ['/v3/universal-ai', task],
  ] as const) {
    const { status, text } = await client.post(path, body)
    assert.equal(status, 404, text)
    assert.match(text, /ended on 2026-\d\d-\d\d/)
  }
}

type Drawn = { gatehouse?: { notes?: object[] } }
const PNG = EXAMPLE_PNG
