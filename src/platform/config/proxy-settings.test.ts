import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadConfig } from './config.ts'
import type { Environment } from './environment.ts'
import { proxiesByOrigin, providersByOrigin } from './provider-origins.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-proxy-settings-'))
after(() => rmSync(folder, { recursive: true }))

test('the variables in either case; the lower case wins, as in curl; a scheme may be missing', () => {
  const read = (environment: Environment) => {
    const { httpsProxy, httpProxy, noProxy } = load({}, environment)
    return [httpsProxy, httpProxy, noProxy]
  }
  assert.deepEqual(read({}), [undefined, undefined, ''])
  const upper = { HTTPS_PROXY: 'http://up:1', HTTP_PROXY: 'https://up:2', NO_PROXY: 'up.example' }
  assert.deepEqual(read(upper), ['http://up:1/', 'https://up:2/', 'up.example'])
  const lower = { https_proxy: 'low:1', http_proxy: 'u:p@low:2', no_proxy: '*' }
  assert.deepEqual(read({ ...upper, ...lower }), ['http://low:1/', 'http://u:p@low:2/', '*'])
})

test('an address that is none of a proxy is refused, and not repeated', () => {
  for (const address of [
    'socks5://s3cret@a:1',
    'http://s3cret@a/path',
    'http://s3cret%@a',
    'http://',
    'http://a?s3cret',
    '::',
  ])
    for (const refused of [{ env: { HTTPS_PROXY: address } }, { file: { providers: { openai: { proxy: address } } } }])
      assert.throws(
        () => load(refused.file ?? {}, refused.env ?? {}),
        ({ message }: Error) =>
          /^(HTTPS_PROXY|.*providers\.openai\.proxy): should be/.test(message) && !/s3cret/.test(message),
      )
})

test('a built-in provider needs nothing but its proxy; a custom one keeps its other settings', () => {
  const fake = { dialect: 'openai', baseUrl: 'https://models.example/v1' }
  const { providers } = load({
    providers: {
      openai: { proxy: 'http://u:p@proxy:3128' },
      anthropic: { proxy: false },
      fake: { ...fake, proxy: 'p:1' },
    },
  })
  assert.deepEqual(
    ['openai', 'anthropic', 'fake', 'mistral'].map((id) => providers[id]!.proxy),
    ['http://u:p@proxy:3128/', false, 'http://p:1/', undefined],
  )
  assert.equal(providers.openai!.baseUrl, load({}).providers.openai!.baseUrl)
  const byOrigin = proxiesByOrigin(providers)
  assert.deepEqual(byOrigin.get('https://api.openai.com'), {
    setting: 'providers.openai.proxy',
    proxy: 'http://u:p@proxy:3128/',
  })
  assert.equal(byOrigin.get('https://api.anthropic.com')?.proxy, false)
  assert.equal(byOrigin.get('https://models.example')?.proxy, 'http://p:1/')
})

test('local servers are reached directly, also on another machine, unless their own setting has a proxy', () => {
  const env = { OLLAMA_BASE_URL: 'http://gpu.example:11434/v1' }
  assert.equal(proxiesByOrigin(load({}, env).providers).get('http://gpu.example:11434')?.proxy, false)
  const asked = load({ providers: { ollama: { proxy: 'http://p:1' } } }, env)
  assert.equal(proxiesByOrigin(asked.providers).get('http://gpu.example:11434')?.proxy, 'http://p:1/')
})

test('the services and token servers of a provider use its proxy too', () => {
  const env = { WATSONX_API_KEY: 'k', WATSONX_PROJECT_ID: 'p' }
  const { providers } = load({ providers: { watsonx: { proxy: 'http://p:1' }, amazon: { proxy: false } } }, env)
  const byOrigin = proxiesByOrigin(providers)
  assert.equal(byOrigin.get('https://iam.cloud.ibm.com')?.proxy, 'http://p:1/')
  assert.ok(
    [...byOrigin.keys()].some((origin) => origin.includes('textract')),
    [...byOrigin.keys()].join(),
  )
})

test('two proxies for one address, and an unknown provider, are refused', () => {
  const fake = { dialect: 'openai', baseUrl: 'https://api.openai.com/v1', proxy: 'http://p:1' }
  const { providers } = load({ providers: { openai: { proxy: false }, fake } })
  assert.throws(
    () => proxiesByOrigin(providers),
    /providers\.fake\.proxy: providers\.openai\.proxy is for the same address/,
  )
  assert.throws(
    () => load({ providers: { unknown: { proxy: false } } }),
    /providers\.unknown: there is no such provider/,
  )
})

test('an origin that several providers share is counted for the one that is configured', () => {
  const fake = { dialect: 'openai', baseUrl: 'https://api.openai.com/v1' }
  assert.equal(providersByOrigin(load({ providers: { fake } }).providers).get('https://api.openai.com'), 'fake')
  const both = load({ providers: { fake } }, { OPENAI_API_KEY: 'k' })
  assert.equal(providersByOrigin(both.providers).get('https://api.openai.com'), 'openai')
})

function load(file: object, environment: Environment = {}) {
  const path = join(folder, 'config.json')
  writeFileSync(path, JSON.stringify(file))
  return loadConfig({ ...environment, GATEHOUSE_CONFIG: path })
}
