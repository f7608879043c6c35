import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConfigError } from './config-error.ts'
import { readProviders } from './provider-settings.ts'
import { readRegionSettings } from './region-settings.ts'

const EU = ['global', 'eu']
const NONE = ['global']

/** Where a provider's models are after these variables were set. */
const MOVED: [title: string, provider: string, environment: Record<string, string>, regions: string[]][] = [
  ['a row of the Union', 'mistral', {}, EU],
  ['moved to a proxy', 'mistral', { MISTRAL_BASE_URL: 'https://proxy.example/v1' }, NONE],
  ['moved to a proxy on this machine', 'mistral', { MISTRAL_BASE_URL: 'http://127.0.0.1:9000/v1' }, NONE],
  ['moved to the plain form of its own host', 'mistral', { MISTRAL_BASE_URL: 'http://api.mistral.ai/v1' }, NONE],
  ['moved to another path of its own host', 'mistral', { MISTRAL_BASE_URL: 'https://api.mistral.ai/v9' }, EU],
  ['named as it is', 'mistral', { MISTRAL_BASE_URL: 'https://api.mistral.ai/v1/' }, EU],
  ['a cloud in the Union', 'amazon', { AWS_REGION: 'eu-central-1' }, EU],
  ['a cloud in London', 'amazon', { AWS_REGION: 'eu-west-2' }, NONE],
  ['a cloud that was moved', 'amazon', { AWS_REGION: 'eu-central-1', BEDROCK_BASE_URL: 'https://proxy.example' }, NONE],
  ['IBM that was moved', 'watsonx', { WATSONX_REGION: 'eu-de', WATSONX_BASE_URL: 'https://proxy.example' }, NONE],
  ['Vertex in the Union', 'vertex', { GOOGLE_CLOUD_LOCATION: 'eu', GOOGLE_CLOUD_PROJECT: 'p' }, EU],
  ['Vertex in one location', 'vertex', { GOOGLE_CLOUD_LOCATION: 'us-central1', GOOGLE_CLOUD_PROJECT: 'p' }, NONE],
  ['Vertex everywhere', 'vertex', { GOOGLE_CLOUD_PROJECT: 'p' }, NONE],
  [
    'Vertex moved to another location of the same host',
    'vertex',
    {
      GOOGLE_CLOUD_LOCATION: 'eu',
      GOOGLE_CLOUD_PROJECT: 'p',
      VERTEX_BASE_URL: 'https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/us-central1/publishers/google',
    },
    NONE,
  ],
  ['Azure', 'azure', { AZURE_RESOURCE_NAME: 'ours' }, NONE],
  ['a local server', 'ollama', {}, ['global', 'eu', 'us']],
  ['a local server at another port', 'ollama', { OLLAMA_BASE_URL: 'http://localhost:9/v1' }, ['global', 'eu', 'us']],
  ['a local server on another machine', 'ollama', { OLLAMA_BASE_URL: 'http://10.0.0.5:11434/v1' }, NONE],
]

describe('an address promises a region, or none', () => {
  for (const [title, provider, environment, regions] of MOVED)
    test(title, () => assert.deepEqual(readProviders({}, environment)[provider]!.regions ?? NONE, regions))
})

test('the operator states regions that cannot be derived, of a provider and of single models', () => {
  const stated = { openai: ['eu'], 'azure/our-gpt': ['eu', 'us'], amazon: ['eu'], cortecs: ['eu'] }
  const moved = { OPENAI_BASE_URL: 'https://eu.api.openai.com/v1', BEDROCK_BASE_URL: 'https://vpce.example' }
  const { openai, azure, amazon, cortecs } = readProviders({}, moved, {}, { regions: readRegionSettings(stated) })
  assert.deepEqual(openai!.regions, EU)
  assert.deepEqual([azure!.regions, azure!.modelRegions], [undefined, { 'our-gpt': ['global', 'eu', 'us'] }])
  // What the names of models say still holds.
  assert.deepEqual([amazon!.regions, amazon!.modelNaming], [EU, 'bedrock'])
  assert.deepEqual([cortecs!.regions, cortecs!.passesOn], [EU, false])
})

test('a service is where its own address is', () => {
  const environment = {
    AWS_REGION: 'eu-west-1',
    AMAZON_TEXTRACT_BASE_URL: 'https://t.example',
    AMAZON_POLLY_BASE_URL: 'https://p.example',
    GOOGLE_SPEECH_LOCATION: 'eu',
  }
  const stated = readRegionSettings({ 'amazon:polly': ['eu'], google: ['eu'] })
  const { amazon, google } = readProviders({}, environment, {}, { regions: stated })
  const { comprehend, textract, polly } = amazon!.serviceRegions!
  assert.deepEqual([comprehend, textract, polly], [EU, NONE, EU])
  const { speech, vision, 'form-parser': documents } = google!.serviceRegions!
  assert.deepEqual([speech, vision, documents], [EU, NONE, ['global', 'us']])
})

test('a custom row on a wire whose names say where a model is keeps to them', () => {
  const row = { dialect: 'bedrock', baseUrl: 'https://x.example', regions: ['global', 'eu'] }
  assert.equal(readProviders({ own: row }, {}).own!.modelNaming, 'bedrock')
  assert.equal(readProviders({ own: { ...row, dialect: 'openai' } }, {}).own!.modelNaming, undefined)
})

const WRONG: [unknown, RegExp][] = [
  [{ openai: [] }, /^regions\.openai: /],
  [{ openai: ['mars'] }, /^regions\.openai\.0: /],
  [{ openai: 'eu' }, /^regions\.openai: /],
  [['eu'], /^regions: /],
  [{ opneai: ['eu'] }, /^regions\.opneai: there is no such provider/],
  [{ 'opneai/gpt': ['eu'] }, /^regions\.opneai\/gpt: there is no such provider/],
]

for (const [value, words] of WRONG)
  test(`refuses ${JSON.stringify(value)}`, () => {
    const read = () => readProviders({}, {}, {}, { regions: readRegionSettings(value) })
    assert.throws(read, (error) => error instanceof ConfigError && words.test(error.message))
  })
