import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { FEATURES } from '../../../src/translation/tasks/index.ts'
import type { SimplifiedSchema } from '../../../src/translation/tasks/simplified-schema.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

type Model = {
  model: string
  pricing: { price: number; price_unit_quantity: number; price_unit_type: string } | null
  files?: { mime_types: string[]; max_megabytes: number | null; max_pages: number | null } | null
}
type Subfeature = { name: string; fullname: string; description: string; mode: string; models: Model[] }
type FeatureInfo = { name: string; fullname: string; description: null; subfeatures: Subfeature[] }
type TaskInfo = Record<'input_schema' | 'output_schema', SimplifiedSchema & { properties?: object }> & {
  mode: string
  endpoints: Record<string, string>
  example: { input: unknown; output: unknown }
  models: Model[]
}

describe('what there is', () => {
  let gateway: GatewayUnderTest
  let client: TaskClient
  before(async () => {
    gateway = await startGateway({ env: { OPENAI_API_KEY: 'sk-x', RECRAFT_API_KEY: 'sk-y' } })
    client = taskClient(gateway.url)
  })
  after(() => gateway?.close())

  test('all tasks of all features, once each', async () => {
    const { status, body } = await client.get<{ features: FeatureInfo[] }>('/v3/info')
    assert.equal(status, 200)
    const names = body.features.flatMap(({ name, subfeatures }) => subfeatures.map((one) => `${name}/${one.name}`))
    const expected = FEATURES.map(({ feature, subfeature }) => `${feature}/${subfeature}`)
    assert.deepEqual(names.toSorted(), expected.toSorted())
    for (const { name, mode, models } of body.features.flatMap(({ subfeatures }) => subfeatures)) {
      assert.equal(mode === 'async', name.endsWith('_async'))
      assert.ok(models.some(({ model }) => model.endsWith('/sandbox')))
    }
  })

  test('prices of the configured providers', async () => {
    const { body } = await client.get<FeatureInfo>('/v3/info/text')
    assert.deepEqual([body.name, body.fullname], ['text', 'Text'])
    const embeddings = body.subfeatures.find(({ name }) => name === 'embeddings')!
    const [openai, large, small] = embeddings.models
    const sandbox = embeddings.models.at(-1)
    assert.deepEqual(openai!.model, 'text/embeddings/openai')
    assert.deepEqual(openai!.pricing, { price: 0.02, price_unit_quantity: 1_000_000, price_unit_type: 'token' })
    assert.deepEqual([small!.model, small!.pricing], ['text/embeddings/openai/text-embedding-3-small', openai!.pricing])
    assert.deepEqual([large!.model, large!.pricing!.price], ['text/embeddings/openai/text-embedding-3-large', 0.13])
    assert.deepEqual([sandbox!.model, sandbox!.pricing!.price], ['text/embeddings/sandbox', 0])
    assert.equal((await client.get<FeatureInfo>('/v3/info/ocr')).body.fullname, 'OCR')
  })

  test('a task says which files each of its models takes', async () => {
    const { body } = await client.get<TaskInfo>('/v3/info/audio/speech_to_text_async')
    const [openai, , sandbox] = body.models
    assert.deepEqual([openai!.model, openai!.files!.max_megabytes], ['audio/speech_to_text_async/openai', 25])
    assert.deepEqual(openai!.files!.mime_types, ['audio/*', 'video/*', 'application/ogg'])
    assert.deepEqual([sandbox!.model, sandbox!.files], ['audio/speech_to_text_async/sandbox', null])
    const { body: images } = await client.get<TaskInfo>('/v3/info/image/generation')
    const drawer = images.models.find(({ model }) => model === 'image/generation/recraft')
    assert.deepEqual(drawer!.files, { mime_types: ['image/*'], max_megabytes: null, max_pages: null })
    const { body: text } = await client.get<TaskInfo>('/v3/info/text/moderation')
    assert.ok(text.models.every((model) => !('files' in model)))
  })

  test('a provider without a credential, or outside of the key’s region, is left out', async () => {
    const without = await startGateway()
    const { body } = await taskClient(without.url).get<TaskInfo>('/v3/info/text/moderation')
    await without.close()
    assert.deepEqual(
      body.models.map(({ model }) => model),
      ['text/moderation/local', 'text/moderation/sandbox'],
    )
    const { key } = await adminClient(gateway.adminUrl).issue({ region: 'eu' })
    const european = await taskClient(gateway.url, key).get<TaskInfo>('/v3/info/text/moderation')
    assert.deepEqual(
      european.body.models.map(({ model }) => model),
      ['text/moderation/local', 'text/moderation/sandbox'],
    )
  })

  for (const { feature, subfeature, mode, example } of FEATURES) {
    test(`${feature}/${subfeature} describes itself in both ways`, async () => {
      const path = `/v3/info/${feature}/${subfeature}`
      const { body, text } = await client.get<TaskInfo>(path)
      assert.equal((await client.get(`${path}?format=simplified`)).text, text)
      assert.deepEqual([body.mode, body.example], [mode, example])
      const value = Object.keys(example.input as object)
      const fields = body.input_schema.fields.map(({ name }) => name)
      assert.deepEqual(
        value.filter((name) => !fields.includes(name)),
        [],
      )
      assert.ok(body.output_schema.fields.every(({ type, description }) => type && typeof description === 'string'))
      const schemas = (await client.get<TaskInfo>(`${path}?format=json_schema`)).body
      assert.deepEqual(Object.keys(schemas.input_schema.properties!), fields)
      assert.ok(Compile(schemas.output_schema).Check(example.output))
      const create = mode === 'sync' ? 'POST /v3/universal-ai' : 'POST /v3/universal-ai/async'
      assert.equal(body.endpoints.create, create)
    })
  }

  for (const path of [
    '/nonsense',
    '/text/nonsense',
    '/nonsense/moderation',
    '/__proto__',
    '/text/__proto__',
    `/${'x'.repeat(400)}`,
  ]) {
    test(`/v3/info${path.slice(0, 30)}: 404 that says where to look`, async () => {
      const { status, body } = await client.get(`/v3/info${path}`)
      assert.deepEqual([status, body.error.code], [404, 'not_found'])
      assert.match(body.error.message, /GET \/v3\/info/)
    })
  }

  test('another format is refused', async () => {
    for (const query of ['format=xml', 'format=', 'format=simplified&format=json_schema']) {
      const { status, body } = await client.get(`/v3/info/text/moderation?${query}`)
      assert.deepEqual([status, body.detail[0]!.loc], [422, ['query', 'format']])
    }
  })

  for (const path of ['/v3/info', '/v3/info/text', '/v3/info/text/moderation']) {
    test(`${path} is not sent again to a client that has it`, async () => {
      const { headers } = await client.get(path)
      const etag = headers.get('etag')!
      assert.match(etag, /^"[0-9a-f]{32}"$/)
      const again = await client.get(path, { 'if-none-match': `"other", W/${etag}` })
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag])
      assert.equal((await client.get(path, { 'if-none-match': '"other"' })).status, 200)
    })
  }

  test('a key is needed, and one for tasks', async () => {
    const { key } = await adminClient(gateway.adminUrl).issue({ scopes: ['chat'] })
    for (const path of ['/v3/info', '/v3/info/text', '/v3/info/text/moderation']) {
      assert.equal((await fetch(gateway.url + path)).status, 401)
      assert.equal((await taskClient(gateway.url, key).get(path)).status, 403)
    }
  })
})
