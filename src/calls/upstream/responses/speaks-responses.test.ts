import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadCatalog } from '../../../platform/catalog/catalog.ts'
import { readProviders } from '../../../platform/config/provider-settings.ts'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { NativeAsk } from '../../../translation/wire/native-ask.ts'
import { timeoutsFor } from '../../attempts/timeouts.ts'
import { toTarget } from '../../routing/chat-targets.ts'
import { speaksResponses } from './speaks-responses.ts'

const tools = [{ type: 'function', function: { name: 'f' } }]
const NATIVE: NativeAsk = { format: 'responses', body: {} }

type Given = {
  request?: Partial<ChatRequest>
  native?: NativeAsk
  environment?: Record<string, string>
  custom?: object
}

function speaks(id: string, { request = {}, native, environment = {}, custom = {} }: Given = {}): boolean {
  const providers = readProviders(custom, { AZURE_RESOURCE_NAME: 'mine', ...environment })
  const [name = '', model = ''] = id.split('/')
  const provider = providers[name]!
  const entry = loadCatalog(providers).find(name, model)
  const target = toTarget(
    { id, provider, model, entry, regions: [] } as never,
    {
      config: { timeouts: {}, retries: {} },
      timeouts: timeoutsFor,
    } as never,
  )
  return speaksResponses(target, { request: { model: id, messages: [], ...request }, native })
}

test('where the catalog says so, a response goes to the responses endpoint of the provider', () => {
  for (const id of ['openai/gpt-4.1', 'openai/gpt-5.4', 'azure/gpt-5', 'openai/gpt-5-pro'])
    assert.ok(speaks(id, { native: NATIVE }), id)
  for (const id of ['openai/gpt-unknown', 'azure/our-deployment', 'azure/deepseek-v4-pro', 'groq/openai/gpt-oss-20b'])
    assert.ok(!speaks(id, { native: NATIVE }), id)
})

test('not at another address, unless the config says so for all models', () => {
  const environment = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }
  assert.ok(!speaks('openai/gpt-5.4', { native: NATIVE, environment }))
  const custom = { openai: { responses: true } }
  assert.ok(speaks('openai/gpt-5.4', { native: NATIVE, environment, custom }))
  assert.ok(speaks('openai/our-own', { native: NATIVE, custom }))
  assert.ok(!speaks('openai/gpt-5.4', { native: NATIVE, custom: { openai: { responses: false } } }))
})

test('a chat only goes there if chat completions would refuse it', () => {
  const thinking = { tools, reasoning_effort: 'low' as const }
  for (const id of [
    'openai/gpt-5.4',
    'openai/gpt-5.5',
    'openai/gpt-5.6-sol',
    'openai/gpt-6-astra',
    'azure/gpt-6-luna',
  ]) {
    assert.ok(speaks(id, { request: thinking }), id)
    assert.ok(!speaks(id, { request: { reasoning_effort: 'low' } }), id)
  }
  assert.ok(speaks('openai/gpt-5.4', { request: { functions: [{ name: 'f' }], reasoning_effort: 'low' } }))
  assert.ok(speaks('openai/gpt-6-astra', { request: { tools } }), 'it always thinks')
  for (const id of ['openai/gpt-5.2', 'openai/gpt-4.1', 'openai/o3']) assert.ok(!speaks(id, { request: thinking }), id)
  assert.ok(!speaks('openai/gpt-5.4', { request: { tools } }))
  assert.ok(!speaks('openai/gpt-5.4', { request: { tools, reasoning_effort: 'none' } }))
  assert.ok(speaks('openai/gpt-4o', { request: { web_search_options: {} } }))
  assert.ok(speaks('openai/o3', { request: { tools: [{ type: 'file_search', vector_store_ids: ['v'] }] } }))
})
