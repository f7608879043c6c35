import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROVIDERS } from '../providers/providers.ts'
import { ConfigError } from './config-error.ts'
import { readProviders } from './provider-settings.ts'

// Addresses with parts that only the operator knows.

test('a part that is missing is named, and a call would say so', () => {
  const { azure } = readProviders({}, { AZURE_API_KEY: 'k' })
  assert.deepEqual([azure?.configured, azure?.missing?.variables], [false, ['AZURE_RESOURCE_NAME']])
  assert.deepEqual(readProviders({}, { AZURE_RESOURCE_NAME: 'mine' }).azure?.missing?.variables, ['AZURE_API_KEY'])
  const half = readProviders({}, { AWS_ACCESS_KEY_ID: 'x' }).amazon?.missing
  assert.deepEqual(half, { variables: ['AWS_SECRET_ACCESS_KEY'], for: 'credential', all: true })
})

test('a part that is given stands in the address', () => {
  const { azure } = readProviders({}, { AZURE_API_KEY: 'k', AZURE_RESOURCE_NAME: 'mine' })
  assert.deepEqual([azure?.configured, azure?.baseUrl], [true, 'https://mine.openai.azure.com/openai/v1'])
})

test('a part with a default needs no setting, and says where the calls stay', () => {
  const fallback = readProviders({}, { AWS_BEARER_TOKEN_BEDROCK: 'k' })['bedrock-openai']
  assert.equal(fallback?.baseUrl, 'https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1')
  assert.deepEqual(fallback?.regions, ['global', 'us'])
  const european = readProviders({}, { AWS_BEARER_TOKEN_BEDROCK: 'k', AWS_REGION: 'eu-west-3' })['bedrock-openai']
  assert.deepEqual(european?.regions, ['global', 'eu'])
})

test('a region that no list knows keeps calls nowhere', () => {
  const elsewhere = readProviders({}, { AWS_BEARER_TOKEN_BEDROCK: 'k', AWS_REGION: 'ap-south-1' })['bedrock-openai']
  assert.ok(!elsewhere?.regions?.includes('eu') && !elsewhere?.regions?.includes('us'))
})

test('an address of the operator’s own needs no parts and no key', () => {
  const { azure } = readProviders({}, { AZURE_BASE_URL: 'http://127.0.0.1:9/v1/' })
  assert.deepEqual([azure?.configured, azure?.baseUrl], [true, 'http://127.0.0.1:9/v1'])
  assert.throws(() => readProviders({}, { AZURE_BASE_URL: 'ftp://x' }), ConfigError)
})

test("the address of a provider's SDK works with the path that the SDK adds, and without it", () => {
  const rows = Object.entries(PROVIDERS).filter(([, { sdkPath }]) => sdkPath !== undefined)
  assert.deepEqual(rows.map(([id]) => id).sort(), ['anthropic', 'cerebras', 'fireworks', 'groq'])
  for (const [id, { sdkPath = '', baseUrl, auth }] of rows) {
    assert.ok(baseUrl.endsWith(sdkPath), id)
    const variable = auth.env!.replace('_API_KEY', '_BASE_URL')
    const read = (address: string) => readProviders({}, { [variable]: address })[id]!
    for (const address of ['http://p.test', 'http://p.test/', `http://p.test${sdkPath}`, `http://p.test${sdkPath}/`])
      assert.equal(read(address).baseUrl, `http://p.test${sdkPath}`, address)
    assert.equal(read('http://p.test/team').baseUrl, `http://p.test/team${sdkPath}`)
    assert.equal(read('http://p.test/team/v1').baseUrl, 'http://p.test/team/v1')
    const { baseUrl: url, addressCredential } = read('http://u:pass@p.test/?key=abcd')
    assert.deepEqual([url, addressCredential?.query], [`http://p.test${sdkPath}`, 'key=abcd'])
  }
  assert.equal(readProviders({}, { OPENAI_BASE_URL: 'http://p.test/x' }).openai?.baseUrl, 'http://p.test/x')
})

test('a part of every body: the one or the other is enough, the first wins, and what is not set is not sent', () => {
  const key = { WATSONX_API_KEY: 'k' }
  assert.deepEqual(readProviders({}, key).watsonx?.missing?.variables, ['WATSONX_PROJECT_ID'])
  for (const [options, defaults] of [
    [{ WATSONX_PROJECT_ID: 'p1' }, { project_id: 'p1' }],
    [{ WATSONX_SPACE_ID: 's1' }, { space_id: 's1' }],
    [{ WATSONX_PROJECT_ID: 'p1', WATSONX_SPACE_ID: 's1' }, { project_id: 'p1' }],
  ] as const) {
    const { watsonx } = readProviders({}, { ...key, ...options, WATSONX_REGION: 'eu-de' })
    assert.deepEqual([watsonx?.configured, watsonx?.fieldRules?.defaults], [true, defaults])
    assert.deepEqual([watsonx?.baseUrl, watsonx?.regions], ['https://eu-de.ml.cloud.ibm.com/ml/v1', ['global', 'eu']])
  }
})

for (const value of ['evil.test/', 'a/../b', 'a@b', 'a:1', 'a#', 'a?', ' a', '-a', '.', '%2e', 'é']) {
  test(`the part '${value}' would lead elsewhere and is refused`, () => {
    assert.throws(() => readProviders({}, { AZURE_API_KEY: 'k', AZURE_RESOURCE_NAME: value }), {
      message: 'AZURE_RESOURCE_NAME: should be a plain name',
    })
  })
}

test('several credentials by weight; a provider that is not there is a mistake', () => {
  const environment = { A: 'a', B: 'b' }
  const { openai } = readProviders({}, environment, { listed: { openai: [{ env: 'A', weight: 2 }, { env: 'B' }] } })
  assert.deepEqual(openai?.credentials, [
    { name: 'A', secret: 'a', weight: 2, from: { kind: 'environment', variable: 'A' } },
    { name: 'B', secret: 'b', weight: 1, from: { kind: 'environment', variable: 'B' } },
  ])
  assert.equal(openai?.configured, true)
  assert.throws(() => readProviders({}, {}, { listed: { opnai: [{ env: 'A' }] } }), { message: /credentials\.opnai/ })
})

test('the field rules and the compatibility of a custom provider reach the provider', () => {
  const fieldRules = { drop: ['seed'], rename: { max_tokens: 'limit' }, defaults: { top_k: 1 } }
  const compat = { developer: true, reasoning: 'demanded', reasoningTag: 'think', thinking: 'thinking' }
  const row = { dialect: 'openai', baseUrl: 'http://127.0.0.1:9/v1', fieldRules, compat }
  const { mine } = readProviders({ mine: row }, {})
  assert.deepEqual(mine?.fieldRules, fieldRules)
  assert.deepEqual(mine?.compat, compat)
})

test('a custom provider with the name of a built-in one keeps the facts that belong to the name', () => {
  const row = { dialect: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }
  const { openai, sandbox, mine } = readProviders({ openai: row, sandbox: row, mine: row }, {})
  assert.deepEqual(openai?.governedFields, { conversation: 'state', prompt: 'state' })
  assert.ok(openai?.openaiEndpoints?.includes('token counts'))
  assert.equal(sandbox?.simulated, true)
  assert.deepEqual([mine?.governedFields, mine?.simulated], [undefined, undefined])
})

test('the config file says which servers have batches, what they cost there, and that a provider is not to have any', () => {
  const row = { dialect: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }
  const custom = {
    mine: { ...row, batches: { factor: 0.5 } },
    theirs: { ...row, batches: { factor: 0.8, endpoints: ['/embeddings'], prefix: '' } },
    together: { batches: { factor: 0.5 } },
    anthropic: { batches: { factor: 0.4 } },
    openai: { batches: false },
  }
  const { mine, theirs, together, anthropic, openai } = readProviders(custom, {})
  const stated = { wire: 'openai', source: 'the config file' }
  assert.deepEqual(mine?.batches, { ...stated, factor: 0.5, endpoints: ['/chat/completions'], prefix: '/v1' })
  assert.deepEqual(theirs?.batches, { ...stated, factor: 0.8, endpoints: ['/embeddings'], prefix: '' })
  assert.deepEqual(together?.batches, mine?.batches)
  assert.deepEqual(anthropic?.batches, { ...PROVIDERS.anthropic!.batches, factor: 0.4 })
  assert.deepEqual(openai?.batches, { ...PROVIDERS.openai!.batches, isOff: true })
  for (const [id, entry] of [
    ['cohere', { batches: { factor: 0.5 } }],
    ['mine', { ...row, dialect: 'anthropic', batches: { factor: 0.5 } }],
    ['mine', { ...row, batches: { factor: 2 } }],
    ['mine', { ...row, batches: { factr: 0.5 } }],
    ['mine', { ...row, batches: true }],
  ] as const)
    assert.throws(
      () => readProviders({ [id]: entry }, {}),
      (error) => error instanceof ConfigError && error.message.includes(`providers.${id}.batches`),
      JSON.stringify(entry),
    )
})

test('an entry for a built-in provider changes only what it names', () => {
  const environment = { OPENAI_API_KEY: 'k' }
  const { openai } = readProviders({ openai: { responses: true, fieldRules: { drop: ['seed'] } } }, environment)
  const { fieldRules, ...row } = PROVIDERS.openai!
  assert.deepEqual(openai, {
    ...readProviders({}, environment).openai!,
    ...row,
    fieldRules: { ...fieldRules, drop: ['seed'] },
    responses: true,
  })
  const baseUrl = 'http://127.0.0.1:9/v1'
  const moved = readProviders({ azure: { baseUrl, name: 'Ours' } }, { AZURE_API_KEY: 'k' }).azure!
  assert.deepEqual([moved.baseUrl, moved.name, moved.configured, moved.auth.header], [baseUrl, 'Ours', true, 'api-key'])
  for (const [id, entry] of [
    ['openai', { responses: 'yes' }],
    ['openai', { respones: true }],
    ['anthropic', { responses: true }],
    ['opnai', { responses: true }],
    ['openai', { baseUrl: 'nowhere' }],
  ] as const)
    assert.throws(() => readProviders({ [id]: entry }, {}), ConfigError)
})

test('an address that is not known to have the responses endpoint has none, unless the config file says so', () => {
  const at = (url: string, custom = {}) => readProviders(custom, { OPENAI_BASE_URL: url }).openai?.responses
  assert.equal(readProviders({}, {}).openai?.responses, undefined)
  for (const url of ['https://api.openai.com/v1', 'https://eu.api.openai.com/v1']) assert.equal(at(url), undefined)
  for (const url of ['http://127.0.0.1:9/v1', 'https://api.openai.com.evil.test', 'https://myapi.openai.com'])
    assert.equal(at(url), false)
  assert.equal(at('http://127.0.0.1:9/v1', { openai: { responses: true } }), true)
  const { azure, mine } = readProviders(
    { mine: { dialect: 'openai', baseUrl: 'http://127.0.0.1:9/v1', responses: true } },
    { AZURE_BASE_URL: 'https://mine.openai.azure.com/openai/v1' },
  )
  assert.deepEqual([azure?.responses, mine?.responses], [undefined, true])
})

test('a custom provider with the name of a free one is not free: its price is unknown', () => {
  const { local } = readProviders({ local: { dialect: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } }, {})
  assert.equal(local?.free, undefined)
})

test('a provider serves ended models if the config file says so, and otherwise at an address that was set', () => {
  const served = (custom: object, env = {}) => readProviders(custom, env).openai?.servesEnded
  const moved = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }
  assert.deepEqual(
    [
      served({}),
      served({ openai: { servesEnded: true } }),
      served({}, moved),
      served({ openai: { servesEnded: false } }, moved),
    ],
    [false, true, true, false],
  )
})
