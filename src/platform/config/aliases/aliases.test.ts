import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from '../config-error.ts'
import { parseConfig } from '../config.ts'
import { AliasTable } from './alias-table.ts'
import { isOwnHost } from './own-host.ts'
import { targetProvider } from './target-provider.ts'

const ENVIRONMENT = {
  AZURE_API_KEY: 'a',
  AZURE_RESOURCE_NAME: 'ours',
  AWS_ACCESS_KEY_ID: 'b',
  AWS_SECRET_ACCESS_KEY: 'c',
  GOOGLE_CLOUD_PROJECT: 'first',
  OPENAI_API_KEY: 'd',
}

function configOf(content: Record<string, unknown>) {
  // The store has been read, and is empty.
  return parseConfig({ environment: ENVIRONMENT, file: { path: undefined, content }, stored: { credentials: {} } })
}

const WRONG: [string, object, RegExp][] = [
  ['x', {}, /^aliases\.x\.targets/],
  ['x', { targets: [] }, /^aliases\.x\.targets/],
  ['x', { targets: [{ model: 'a/b', wieght: 1 }] }, /^aliases\.x\.targets\.0\.wieght/],
  ['x', { targets: [{ model: 'a/b', weight: 0 }] }, /^aliases\.x\.targets\.0\.weight/],
  ['x', { targets: [{ model: 'a/b' }], retries: 6 }, /^aliases\.x\.retries/],
  ['x', { targets: [{ model: 'a/b' }], timeouts: { total: 1 } }, /^aliases\.x\.timeouts\.total/],
  ['x', { targets: [{ model: 'a/b' }], fallbacks: ['x'] }, /^aliases\.x\.fallbacks\.0: an alias cannot be its own/],
  ['x', { targets: [{ model: 'a/b' }], fallbacks: ['@service'] }, /^aliases\.x\.fallbacks\.0: the router/],
  ['x', { targets: [{ model: '@service' }] }, /^aliases\.x\.targets\.0\.model: the router/],
  ['x', { targets: [{ model: 'openai/*' }] }, /^aliases\.x\.targets\.0\.model: a \* stands for/],
  ['x', { targets: [{ model: 'a/b' }], defaults: { model: 'y' } }, /^aliases\.x\.defaults\.model/],
  ['x', { targets: [{ model: 'a/b' }], defaults: { tools: 5 } }, /^aliases\.x\.defaults\.tools: .*list/],
  ['x', { targets: [{ model: 'a/b' }], defaults: { tools: [null] } }, /^aliases\.x\.defaults\.tools: /],
  ['x', { targets: [{ model: 'a/b' }], defaults: { stop: [1] } }, /^aliases\.x\.defaults\.stop: /],
  ['x', { targets: [{ model: 'a/b' }], defaults: { functions: {} } }, /^aliases\.x\.defaults\.functions: /],
  ['x', { targets: [{ model: 'a/b' }], defaults: { max_tokens: -1 } }, /^aliases\.x\.defaults\.max_tokens: /],
  [
    'x',
    { targets: [{ model: 'a/b' }], defaults: { extra_headers: { a: 1 } } },
    /^aliases\.x\.defaults\.extra_headers: /,
  ],
  ['x', { targets: [{ model: 'gpt-4o', credential: 'one' }] }, /^aliases\.x\.targets\.0\.model: should be provider/],
  [
    'x',
    { targets: [{ model: 'openai/a', credential: 'unknown' }] },
    /^aliases\.x\.targets\.0\.credential: OpenAI has no/,
  ],
  ['x', { targets: [{ model: 'openai/a', region: 'eu' }] }, /^aliases\.x\.targets\.0: region: OpenAI has no regions/],
  ['x', { targets: [{ model: 'openai/a', project: 'p' }] }, /^aliases\.x\.targets\.0: project: /],
  ['x', { targets: [{ model: 'openai/a', deployment: 'p' }] }, /^aliases\.x\.targets\.0: deployment: /],
  ['x', { targets: [{ model: 'openai/a', baseUrl: 'ftp://a' }] }, /^aliases\.x\.targets\.0: baseUrl: /],
  ['x', { targets: [{ model: 'amazon/a', region: 'a/../b' }] }, /^aliases\.x\.targets\.0: region: should be a plain/],
  ['a*b*', { targets: [{ model: 'a/b' }] }, /^aliases\.a\*b\*: the name should have at most one/],
  ['@x', { targets: [{ model: 'a/b' }] }, /^aliases\.@x: the name/],
  ['a b', { targets: [{ model: 'a/b' }] }, /^aliases\.a b: the name/],
]

for (const [name, alias, message] of WRONG) {
  test(`${name} ${JSON.stringify(alias)} is refused, and the message says where`, () => {
    const isRight = (error: Error) => error instanceof ConfigError && message.test(error.message)
    assert.throws(() => configOf({ aliases: { [name]: alias } }), isRight)
  })
}

test('a default may be as any kind of request has it, and of a field that none has', () => {
  const formats = ['mp3', 'b64_json', { type: 'json_object' }]
  const defaults = formats.map((response_format) => ({
    response_format,
    size: '1024x1024',
    of_the_provider: [1],
    extra_headers: { 'x-tenant': 'a' },
  }))
  for (const one of defaults) configOf({ aliases: { x: { targets: [{ model: 'openai/a' }], defaults: one } } })
})

test('an alias of the file hides one of the store, and the longest pattern matches', () => {
  const alias = (model: string) => ({ targets: [{ model }] })
  const table = new AliasTable(
    { one: alias('a/file'), 'x*': alias('a/short') },
    { one: alias('a/store'), two: alias('a/two'), 'x-*-y': alias('a/long'), 'x*': alias('a/hidden') },
  )
  assert.deepEqual(
    table.list().map(({ name, ownedBy }) => `${name} ${ownedBy}`),
    ['one file', 'two api', 'x* file', 'x-*-y api'],
  )
  assert.equal(table.find('one')!.alias.targets[0]!.model, 'a/file')
  assert.deepEqual([table.match('x-1-y')?.name, table.match('x-1-y')?.rest], ['x-*-y', '1'])
  assert.deepEqual([table.match('x--y')?.name, table.match('x--y')?.rest], ['x*', '--y'])
  assert.deepEqual([table.match('x'), table.match('y'), table.find('__proto__')], [undefined, undefined, undefined])
  assert.ok(new AliasTable({}).isEmpty && !table.isEmpty)
})

test('a target has the address of its parameters, the credentials of its provider, and its own regions', () => {
  const config = configOf({})
  const at = (model: string, params: object) => {
    const provider = config.providers[model.split('/')[0]!]!
    return targetProvider({ model, ...params }, provider, config.source)
  }
  const amazon = at('amazon/x', { region: 'eu-central-1' })
  assert.equal(amazon.baseUrl, 'https://bedrock-runtime.eu-central-1.amazonaws.com')
  assert.deepEqual([amazon.address.AWS_REGION, amazon.regions], ['eu-central-1', ['global', 'eu']])
  assert.equal(amazon.credentials, config.providers.amazon!.credentials)
  const vertex = at('vertex/x', { project: 'second', region: 'eu' })
  assert.match(vertex.baseUrl, /^https:\/\/aiplatform\.eu\.rep\.googleapis\.com\/.*\/second\//)
  assert.equal(at('azure/x', { deployment: 'd' }).baseUrl, 'https://ours.openai.azure.com/openai/v1')
  const other = at('azure/x', { baseUrl: 'https://theirs.openai.azure.com/' })
  assert.equal(other.baseUrl, 'https://theirs.openai.azure.com/openai/v1')
  const dated = at('azure/x', { deployment: 'd', apiVersion: '2024-10-21' })
  assert.equal(dated.baseUrl, 'https://ours.openai.azure.com/openai/deployments/d')
  assert.deepEqual([dated.addressCredential?.query, dated.addressCredential?.secrets], ['api-version=2024-10-21', []])
  // A moved address promises no region.
  assert.deepEqual(at('amazon/x', { baseUrl: 'https://proxy.example', region: 'eu-west-1' }).regions, ['global'])
  assert.equal(at('openai/x', {}), config.providers.openai)
})

test('a host belongs to a provider only if its row says so', () => {
  const { providers, source } = configOf({})
  const isOwn = (id: string, url: string) => isOwnHost(url, providers[id]!, source)
  for (const [id, url] of [
    ['openai', 'https://api.openai.com/v2'],
    ['azure', 'https://theirs.openai.azure.com'],
    ['amazon', 'https://bedrock-runtime.eu-west-3.amazonaws.com'],
    ['vertex', 'https://aiplatform.eu.rep.googleapis.com'],
  ] as const)
    assert.ok(isOwn(id, url), url)
  for (const [id, url] of [
    ['openai', 'https://api.openai.com.evil.example'],
    ['openai', 'http://api.openai.com/v1'],
    ['azure', 'https://evil.example/x.openai.azure.com'],
    ['azure', 'https://a.b.openai.azure.com'],
    ['azure', 'https://xopenai-azure.com'],
    ['amazon', 'https://bedrock-runtime.evil.example'],
  ] as const)
    assert.ok(!isOwn(id, url), url)
})
