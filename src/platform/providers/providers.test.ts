import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loadCatalog } from '../catalog/catalog.ts'
import { CLOUD_PROVIDERS } from './cloud-providers.ts'
import { HOSTS } from './hosts.ts'
import { EMBEDDING_PROVIDERS, IMAGE_PROVIDERS } from './image-and-embedding-providers.ts'
import { LOCAL_PROVIDERS } from './local-providers.ts'
import { MODEL_MAKERS } from './model-makers.ts'
import { OWN_FORMAT_PROVIDERS } from './own-format-providers.ts'
import { TASK_PROVIDERS } from './task-providers.ts'
import { onlyMaxCompletionTokens, onlyMaxTokens } from './row-builders.ts'
import type { ProviderRow } from './provider.ts'
import { POPULAR_PROVIDERS, PROVIDER_ALIASES, PROVIDERS } from './providers.ts'

const TABLES = [
  ...[MODEL_MAKERS, HOSTS, CLOUD_PROVIDERS, LOCAL_PROVIDERS, OWN_FORMAT_PROVIDERS],
  ...[IMAGE_PROVIDERS, EMBEDDING_PROVIDERS, TASK_PROVIDERS],
]
const ROWS: [string, ProviderRow<string>][] = Object.entries(PROVIDERS)

describe('provider rows', () => {
  test('there are many, and no file repeats the row of another', () => {
    assert.ok(ROWS.length >= 65, String(ROWS.length))
    const sizes = TABLES.map((table) => Object.keys(table).length)
    assert.equal(
      sizes.reduce((sum, size) => sum + size),
      ROWS.length,
    )
    const names = ROWS.map(([, { name }]) => name)
    assert.equal(new Set(names).size, names.length)
  })

  test('every provider that lists begin with has a row', () => {
    assert.equal(new Set(POPULAR_PROVIDERS).size, POPULAR_PROVIDERS.length)
    for (const id of POPULAR_PROVIDERS) assert.ok(Object.hasOwn(PROVIDERS, id), id)
  })

  test('an alias is neither a row nor the alias of another row', () => {
    const aliases = ROWS.flatMap(([, row]) => row.aliases ?? [])
    assert.equal(new Set(aliases).size, aliases.length)
    for (const alias of aliases) {
      assert.match(alias, /^[a-z0-9_-]+$/)
      assert.ok(!ROWS.some(([id]) => id === alias), alias)
    }
    assert.equal(PROVIDER_ALIASES.size, aliases.length)
  })

  test('the default model for embeddings is an embedding model of the catalog', () => {
    const catalog = loadCatalog(PROVIDERS)
    const named = ROWS.flatMap(([id, { defaultEmbeddingModel: model }]) => (model ? [{ id, model }] : []))
    assert.ok(named.length >= 9)
    for (const { id, model } of named) assert.equal(catalog.find(id, model)?.type, 'embedding', `${id}/${model}`)
  })

  test('the name that lists of tasks show is an alias of the row, so that the default image model is found by it', () => {
    const named = ROWS.filter(([, { taskAlias }]) => taskAlias)
    assert.deepEqual(
      named.map(([id]) => id),
      ['volcengine'],
    )
    for (const [id, { taskAlias, defaultImageModel }] of named) {
      assert.equal(PROVIDER_ALIASES.get(taskAlias!), id)
      assert.ok(defaultImageModel)
    }
  })

  test('the names that users of other gateways know lead to a row', () => {
    const known = [
      'azure-openai',
      'bedrock',
      'gemini',
      'together_ai',
      'fireworks_ai',
      'perplexityai',
      'qwen',
      'bytedance',
    ]
    const rows = known.map((name) => PROVIDER_ALIASES.get(name))
    const expected = ['azure', 'amazon', 'google', 'together', 'fireworks', 'perplexity', 'dashscope', 'volcengine']
    assert.deepEqual(rows, expected)
    for (const id of ['google', 'amazon', 'vertex', 'azure', 'iointelligence', 'meta'])
      assert.ok(ROWS.some(([row]) => row === id))
  })

  test('every placeholder of an address or a body is a parameter, and every parameter is used', () => {
    for (const [id, { baseUrl, params = {}, fieldRules = {} }] of ROWS) {
      const addresses = [baseUrl, ...Object.values(params).flatMap(({ baseUrls = {} }) => Object.values(baseUrls))]
      const texts = [...addresses, ...Object.values(fieldRules.defaults ?? {}).map(String)]
      const places = texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))
      const names = Object.entries(params).flatMap(([name, { or }]) => (or ? [name, or] : [name]))
      assert.deepEqual([...new Set(places)].sort(), names.sort(), id)
    }
  })

  test('every address is valid once its parameters are filled in', () => {
    for (const [id, { baseUrl }] of ROWS) {
      const filled = baseUrl.replace(/\{\w+\}/g, 'example')
      assert.ok(URL.canParse(filled) && !filled.endsWith('/'), id)
      assert.match(filled, /^(https:\/\/|http:\/\/127\.0\.0\.1:|sandbox:|local:)/)
    }
  })

  test('a credential has a variable of its own unless it is a second layer’s, and a header where it needs one', () => {
    const variables = ROWS.flatMap(([id, { auth }]) => (id.endsWith('-openai') ? [] : (auth.env ?? [])))
    assert.equal(new Set(variables).size, variables.length)
    for (const [id, { auth }] of ROWS) {
      assert.equal(auth.scheme === 'none', auth.env === undefined, id)
      assert.equal(auth.scheme === 'header', auth.header !== undefined, id)
      assert.equal(auth.scheme === 'exchange', auth.exchange !== undefined, id)
    }
  })

  test('the variable that moves an address carries the name of the provider, not of its kind of key', () => {
    const variables = ROWS.flatMap(
      ([, { auth, baseUrlEnv }]) => baseUrlEnv ?? auth.env?.replace(ENDING, '_BASE_URL') ?? [],
    )
    for (const variable of variables) assert.match(variable, /^[A-Z0-9_]+_BASE_URL$/)
    assert.equal(new Set(variables).size, variables.length)
    for (const variable of ['BEDROCK_BASE_URL', 'GEMINI_BASE_URL', 'COHERE_BASE_URL', 'ANTHROPIC_BASE_URL'])
      assert.ok(variables.includes(variable), variable)
  })

  test('a row never drops a field that it renames, and never promises both Europe and America from afar', () => {
    for (const [id, { fieldRules = {}, regions = ['global'], baseUrl }] of ROWS) {
      for (const field in fieldRules.rename) assert.ok(!fieldRules.drop?.includes(field), id)
      assert.ok(regions.includes('global'), id)
      if (baseUrl.startsWith('https:')) assert.ok(regions.length <= 2, id)
    }
  })

  test('the old and the new name of the limit are each others opposite', () => {
    assert.deepEqual(onlyMaxTokens(), { rename: { max_completion_tokens: 'max_tokens' } })
    assert.deepEqual(onlyMaxCompletionTokens('store'), {
      rename: { max_tokens: 'max_completion_tokens' },
      drop: ['store'],
    })
  })
})

/** How config makes the variable of the address from the variable of the credential. */
const ENDING = /_(API_KEY|TOKEN|KEY)$/
