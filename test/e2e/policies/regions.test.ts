import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { png } from '../../../src/base/sniff/fixtures/small-files.ts'
import { recordingOf } from '../../../src/translation/tasks/http/fixtures/recording.ts'
import * as fake from '../../fakes/behaviours.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'
import { taskClient } from '../../gateway/task-client.ts'

// A key of a region reaches nothing outside of it, through any endpoint or name.

const provider = await startFakeProvider({ everyPath: true })
const folder = await mkdtemp(join(tmpdir(), 'gatehouse-regions-'))
const [STATED, SILENT] = [join(folder, 'stated.json'), join(folder, 'silent.json')]
const REGIONS = { amazon: ['eu'], 'amazon:comprehend': ['eu'], 'azure/our-eu-gpt': ['eu'] }
await writeFile(STATED, JSON.stringify({ regions: REGIONS }))
await writeFile(SILENT, '{}')

const ENV = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret-of-the-test',
  AWS_REGION: 'eu-central-1',
  BEDROCK_BASE_URL: provider.url,
  AMAZON_COMPREHEND_BASE_URL: provider.url,
  AMAZON_REKOGNITION_BASE_URL: provider.url,
  AZURE_API_KEY: 'azure-test-key',
  AZURE_BASE_URL: provider.url,
  DEEPGRAM_API_KEY: 'deepgram-test-key',
  DEEPGRAM_BASE_URL: provider.url,
  DEEPINFRA_API_KEY: 'deepinfra-test-key',
  MISTRAL_API_KEY: 'mistral-test-key',
  MISTRAL_BASE_URL: provider.url,
  OPENAI_API_KEY: 'sk-test-0123456789abcdef',
  OPENAI_BASE_URL: provider.url,
}
const gateway = await startGateway({ env: { ...ENV, GATEHOUSE_CONFIG: STATED } })
after(async () => {
  await gateway.close()
  await provider.close()
  await rm(folder, { recursive: true })
})
beforeEach(() => provider.reset())

const admin = adminClient(gateway.adminUrl)
const european = taskClient(gateway.url, (await admin.issue({ region: 'eu', owner: 'eve' })).key)
const american = taskClient(gateway.url, (await admin.issue({ region: 'us' })).key)
const unrestricted = taskClient(gateway.url)

const MESSAGES = [{ role: 'user', content: 'hi' }]
const ARN = 'arn:aws:bedrock'
const OUTSIDE = [
  'amazon/global.anthropic.claude-sonnet-5',
  'amazon/global.anthropic.not-in-any-list-v1:0',
  'amazon/us.anthropic.not-in-any-list-v1:0',
  'amazon/apac.anthropic.not-in-any-list-v1:0',
  'amazon/unheard-of.anthropic.claude-sonnet-5',
  'bedrock/us.anthropic.claude-sonnet-5',
  'aws/global.amazon.nova-9',
  `amazon/${ARN}:us-east-1:123456789012:inference-profile/us.anthropic.claude-x`,
  `amazon/${ARN}:eu-central-1:123456789012:inference-profile/global.anthropic.claude-x`,
  `amazon/${ARN}:eu-central-1:123456789012:application-inference-profile/abcdef123456`,
  `amazon/${ARN}:us-west-2:123456789012:provisioned-model/abc`,
  'amazon/abcdef123456',
  'azure/gpt-4o',
  'azure/our-eu-gpt-2',
  'microsoft/gpt-4o',
  'mistral/mistral-large-latest',
  'openai/gpt-4o',
  'deepinfra/anthropic/claude-sonnet-5',
]
const [GLOBAL, UNLISTED] = OUTSIDE as [string, string]

/** Every endpoint that takes the name of a model, with a model outside of the European Union. */
const ENDPOINTS: [path: string, body: object][] = [
  ...OUTSIDE.map((model): [string, object] => ['/v3/chat/completions', { model, messages: MESSAGES }]),
  ['/v3/chat/completions', { model: UNLISTED, messages: MESSAGES, stream: true }],
  ['/v3/chat/completions', { model: 'sandbox/echo', fallbacks: [UNLISTED], messages: MESSAGES }],
  ['/v3/v1/messages', { model: UNLISTED, max_tokens: 5, messages: MESSAGES }],
  ['/v3/v1/messages/count_tokens', { model: UNLISTED, messages: MESSAGES }],
  ['/v3/responses', { model: UNLISTED, input: 'hi' }],
  ['/v3/responses', { model: 'sandbox/echo', fallbacks: [GLOBAL], input: 'hi' }],
  ['/v3/embeddings', { model: 'amazon/us.cohere.embed-v4:0', input: 'hi' }],
  ['/v3/embeddings', { model: 'amazon/global.cohere.embed-v9:0', input: 'hi' }],
  ['/v3/images/generations', { model: 'amazon/us.stability.not-in-any-list-v1:0', prompt: 'a fox' }],
  ['/v3/moderations', { input: 'hi' }],
  ['/v3/audio/speech', { model: 'amazon/global.anthropic.x', input: 'hi', voice: 'Joanna' }],
  ['/v3/audio/speech', { model: 'deepgram/aura-2', input: 'hi', voice: 'thalia' }],
  ['/v3/universal-ai', { model: 'text/moderation/openai', input: { text: 'hi' } }],
  ['/v3/universal-ai', { model: `text/sentiment_analysis/${UNLISTED}`, input: { text: 'hi' } }],
  ['/v3/universal-ai', { model: 'text/sentiment_analysis/azure/gpt-4o', input: { text: 'hi' } }],
  ['/v3/universal-ai', { model: 'text/moderation/sandbox', fallbacks: ['openai'], input: { text: 'hi' } }],
  ['/v3/universal-ai', { model: 'image/generation/amazon/us.amazon.nova-canvas-v1:0', input: { text: 'a fox' } }],
  [
    '/v3/universal-ai/async',
    { model: 'video/generation_async/amazon/us.amazon.nova-reel-v9:0', input: { text: 'a fox' } },
  ],
  ['/v3/universal-ai/async', { model: 'text/moderation/openai', input: { text: 'hi' } }],
  ['/v3/universal-ai/collections', { model: 'image/face_recognition/amazon' }],
  [
    '/v3/chat/completions',
    { model: 'sandbox/echo', messages: MESSAGES, pre_hooks: [{ action: 'moderate', params: { provider: 'openai' } }] },
  ],
  [
    '/v3/chat/completions',
    {
      model: 'sandbox/echo',
      messages: MESSAGES,
      post_hooks: [{ action: 'translate', params: { target_language: 'de', provider: UNLISTED } }],
    },
  ],
]

describe('a key of the European Union gets 451, and no provider is called', () => {
  for (const [path, body] of ENDPOINTS)
    test(`${path} ${JSON.stringify(body)}`, async () => {
      const { status, body: answer, text } = await european.post(path, body)
      assert.equal(status, 451, text)
      if (path !== '/v3/v1/messages' && path !== '/v3/v1/messages/count_tokens')
        assert.equal(answer.error.code, 'region_not_allowed', text)
      assert.deepEqual(provider.requests, [])
    })

  test('the router, when every candidate is outside', async () => {
    const request = { model: '@service', router_candidates: OUTSIDE, messages: MESSAGES }
    const { status, text } = await european.post('/v3/chat/completions', request)
    assert.ok(status >= 400 && /region/.test(text), text)
    assert.deepEqual(provider.requests, [])
  })

  test('a service of a provider that was moved, and has no declared region', async () => {
    const { file_id } = await european.store(png(4, 4), 'a.png')
    const { status, text } = await european.run({ model: 'image/explicit_content/amazon', input: { file: file_id } })
    assert.equal(status, 451, text)
    assert.deepEqual(provider.requests, [])
  })

  test('an image for a model of another region', async () => {
    const { file_id } = await european.store(png(4, 4), 'a.png')
    const model = 'image/background_removal/amazon/us.amazon.nova-canvas-v1:0'
    assert.equal((await european.run({ model, input: { file: file_id } })).status, 451)
    assert.deepEqual(provider.requests, [])
  })
})

const INSIDE = [
  'amazon/eu.anthropic.not-in-any-list-v1:0',
  'amazon/anthropic.claude-sonnet-5',
  `amazon/${ARN}:eu-central-1:123456789012:imported-model/abc`,
  'azure/our-eu-gpt',
]

for (const model of INSIDE)
  test(`${model} is asked for a key of the Union, and not for one of the United States`, async () => {
    await european.post('/v3/chat/completions', { model, messages: MESSAGES })
    assert.ok(provider.requests.length > 0)
    provider.reset()
    assert.equal((await american.post('/v3/chat/completions', { model, messages: MESSAGES })).status, 451)
    assert.deepEqual(provider.requests, [])
  })

test('a key without a region has none of these limits', async () => {
  for (const model of [GLOBAL, UNLISTED, 'azure/gpt-4o']) {
    await unrestricted.post('/v3/chat/completions', { model, messages: MESSAGES })
    assert.ok(provider.requests.length > 0, model)
    provider.reset()
  }
})

test('lists contain only what the key can call', async () => {
  const { body } = await european.get<{ data: { id: string }[] }>('/v3/models')
  const ids = new Set(body.data.map(({ id }) => id))
  assert.ok(ids.has('amazon/eu.anthropic.claude-sonnet-5') && ids.has('amazon/anthropic.claude-sonnet-5'))
  for (const id of OUTSIDE) assert.ok(!ids.has(id), id)
  assert.equal((await european.get(`/v3/models/${GLOBAL}`)).status, 404)
})

test('a job that may no longer go where it was sent to is not sent there', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-regions-job-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const settings = { env: ENV, dataDir }
  const before = await startGateway({
    ...settings,
    env: { ...ENV, GATEHOUSE_CONFIG: STATED },
    overrides: { role: 'api' },
  })
  const { key } = await adminClient(before.adminUrl).issue({ region: 'eu' })
  const request = { model: 'text/sentiment_analysis/amazon', input: { text: 'good', language: 'en' } }
  const { status, body, text } = await taskClient(before.url, key).submit(request)
  assert.equal(status, 202, text)
  await before.close()
  const later = await startGateway({ ...settings, env: { ...ENV, GATEHOUSE_CONFIG: SILENT } })
  t.after(() => later.close())
  const end = await taskClient(later.url, key).ended(body.public_id)
  assert.match(JSON.stringify(end), /"status":"fail".*not available in the region 'eu'/)
  assert.deepEqual(provider.requests, [])
})

test('the same task is done where the operator says that it stays inside', async () => {
  const { status, headers, json } = recordingOf('text/sentiment_analysis/amazon')
  provider.always(fake.status(status, json as object, headers))
  const request = { model: 'text/sentiment_analysis/amazon', input: { text: 'good', language: 'en' } }
  const done = await european.run(request)
  assert.equal(done.status, 200, done.text)
})
