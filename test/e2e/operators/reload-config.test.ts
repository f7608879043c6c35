import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { reported } from '../../../src/platform/config/report/config-report.ts'
import { ConfigError } from '../../../src/platform/config/config-error.ts'
import { SETTINGS } from '../../../src/platform/config/settings.ts'
import { Circuits } from '../../../src/calls/attempts/circuits.ts'
import type { ConfigReport, ReloadReport } from '../../../src/contract/admin/config.ts'
import { NO_OTHERS, type OtherProcesses } from '../../../src/server/reload-config.ts'
import { answer, failure } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { adminClient, type Refusal } from '../../gateway/admin-client.ts'
import { readStream } from '../../gateway/chat-client.ts'
import { temporaryFolder } from '../../gateway/gateway-process.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'

const SECRET = 'sk-very-secret-7f3a9b'
const KEYS = { gatehouseApiKey: 'the first key' }
const folder = await temporaryFolder()
const file = join(folder.path, 'gatehouse.config.json')
const [one, two] = await Promise.all([startFakeProvider(), startFakeProvider()])
const others: OtherProcesses = { ...NO_OTHERS }

writeConfig({})
const gateway = await startGateway({
  env: {
    GATEHOUSE_CONFIG: file,
    GATEHOUSE_API_KEY: '',
    LOG_LEVEL: '',
    OPENAI_API_KEY: `${SECRET}-a,${SECRET}-b`,
    OPENAI_BASE_URL: `http://user:${SECRET}@127.0.0.1:9/v1?key=${SECRET}`,
    FIRST_KEY: `${SECRET}-first,${SECRET}-third`,
    SECOND_KEY: `${SECRET}-second`,
  },
  overrides: { others, circuits: new Circuits(Date.now) },
})
const admin = adminClient(gateway.adminUrl)

after(async () => {
  await gateway.close()
  await Promise.all([one.close(), two.close(), folder.remove()])
})

beforeEach(async () => {
  Object.assign(others, NO_OTHERS)
  for (const provider of [one, two]) provider.reset()
  await configure({})
})

describe('a reload', () => {
  test('changes the provider of new calls; a running call keeps its configuration, with its prices', async () => {
    await configure(mineAt(one.url, 1))
    const { promise: go, resolve: release } = Promise.withResolvers<void>()
    one.always(stream(textEvents('Hello there'), { waitFor: go, waitAfter: 2 }))
    const running = await ask({ stream: true, stream_options: { include_usage: true } })
    const reader = running.body!.getReader()
    const first = Buffer.from((await reader.read()).value!).toString()
    const { changed } = await configure(mineAt(two.url, 1_000_000))
    assert.deepEqual(changed.toSorted(), ['providers.mine.baseUrl', 'providers.mine.models'])
    two.always(answer())
    const { cost: newCost } = (await (await ask({})).json()) as { cost: number }
    assert.deepEqual([one.requests.length, two.requests.length], [1, 1])
    release()
    let text = first
    for (let read = await reader.read(); !read.done; read = await reader.read()) text += Buffer.from(read.value)
    const { done, chunks } = readStream(text)
    assert.equal(done, 1)
    const { cost } = chunks.at(-1) as unknown as { cost: number }
    assert.ok(cost > 0 && newCost / cost > 1_000, `${cost} and ${newCost}`)
  })

  test('changes time limits and aliases, although no provider has changed', async () => {
    const explained = async () => {
      const body = { model: 'our-own', messages: [{ role: 'user', content: 'Hello' }] }
      const { status, body: told } = await admin.post<{
        targets: { model: string; limits: { totalMs: number } }[]
      }>('/admin/explain', body)
      return status === 200 ? told.targets.map(({ model, limits }) => `${model} ${limits.totalMs}`) : [status]
    }
    const aliases = (model: string) => ({ 'our-own': { targets: [{ model }] } })
    await configure({ ...mineAt(one.url, 1), aliases: aliases('mine/small') })
    assert.deepEqual(await explained(), ['mine/small 600000'])
    await configure({ ...mineAt(one.url, 1), aliases: aliases('mine/small'), timeouts: { mine: { totalMs: 5_000 } } })
    assert.deepEqual(await explained(), ['mine/small 5000'])
    await configure({ ...mineAt(one.url, 1), aliases: aliases('mine/other'), timeouts: { mine: { totalMs: 5_000 } } })
    assert.deepEqual(await explained(), ['mine/other 5000'])
    await configure(mineAt(one.url, 1))
    assert.deepEqual(await explained(), [404])
  })

  test('takes a provider away', async () => {
    await configure(mineAt(one.url, 1))
    assert.equal((await ask({})).status, 200)
    await configure({})
    assert.equal((await ask({})).status, 404)
  })

  test('that is not valid is refused with its path, and changes nothing', async () => {
    await configure(mineAt(one.url, 1))
    const invalid: Record<string, string> = {
      'providers.mine.dialect': JSON.stringify({
        ...KEYS,
        providers: { mine: { dialect: 'latin', baseUrl: one.url } },
      }),
      'timeouts.openai.totalMs': JSON.stringify({ ...KEYS, timeouts: { openai: { totalMs: -1 } } }),
      logLevel: JSON.stringify({ ...KEYS, logLevel: SECRET }),
      colour: JSON.stringify({ ...KEYS, colour: 'red' }),
      ALLOW_NETWORKS: JSON.stringify({ ...KEYS, allowNetworks: '10.0.0.0' }),
      [file]: '{',
    }
    for (const [path, text] of Object.entries(invalid)) {
      writeFileSync(file, text)
      const { status, body } = await admin.post<Refusal>('/admin/config/reload', {})
      assert.deepEqual([status, body.error.code, body.error.param], [422, 'validation_error', path], path)
      assert.ok(body.error.message.startsWith(`${path}: `) && !body.error.message.includes(SECRET), body.error.message)
      assert.deepEqual(body.detail[0]!.loc, ['config', path])
    }
    rmSync(file)
    assert.equal((await admin.post('/admin/config/reload', {})).status, 422)
    assert.equal((await ask({})).status, 200)
    assert.match(gateway.logs(), /"reason":"providers\.mine\.dialect: .*the configuration was rejected/)
  })

  test('names the settings that need a restart, and keeps their values', async () => {
    const before = await settingNamed('port')
    const { changed, needs_restart } = await configure({ port: 1, workers: 7 })
    assert.deepEqual([changed, needs_restart], [[], ['port', 'workers']])
    assert.deepEqual(await settingNamed('port'), { ...before, pending: 1 })
    assert.equal(before.needs_restart, true)
    await configure({})
    assert.deepEqual(await settingNamed('port'), before)
    const proxied = await configure({ providers: { groq: { proxy: 'http://127.0.0.1:1' } } })
    assert.deepEqual(proxied.needs_restart, ['providers.groq.proxy'])
    assert.deepEqual((await configure({})).needs_restart, [])
  })

  test('replaces the fixed key, the allowed networks, the admin names and the log level', async () => {
    const hook = { model: 'text/moderation/sandbox', input: { text: 'x' }, webhook_receiver: two.url }
    assert.equal((await post('/v3/universal-ai/async', hook, KEYS.gatehouseApiKey)).status, 422)
    assert.equal(await statusByName('gatehouse.internal'), 403)
    const key = 'the second key'
    const more = { allowNetworks: '127.0.0.0/8', adminHosts: 'gatehouse.internal', logLevel: 'error' }
    await configure({ gatehouseApiKey: key, ...more })
    const before = gateway.logs()
    assert.equal((await post('/v3/universal-ai/async', hook, KEYS.gatehouseApiKey)).status, 401)
    assert.equal((await post('/v3/universal-ai/async', hook, key)).status, 202)
    assert.equal(await statusByName('gatehouse.internal'), 200)
    assert.doesNotMatch(gateway.logs().slice(before.length), /universal-ai/)
  })

  test('forgets that a provider refused the credential that it had before', async () => {
    const withKey = (env: string) => ({ providers: { mine: { ...row(one.url), auth: { scheme: 'bearer', env } } } })
    await configure(withKey('FIRST_KEY'))
    one.always(failure(401))
    assert.equal((await ask({})).status, 502)
    assert.notDeepEqual(await restingModels(), [])
    one.always(answer())
    await configure(withKey('SECOND_KEY'))
    assert.deepEqual(await restingModels(), [])
    assert.equal((await ask({})).status, 200)
    assert.equal(one.requests.at(-1)!.headers.authorization, `Bearer ${SECRET}-second`)
  })

  test('that another process refuses changes nothing here either', async () => {
    others.prepare = () => Promise.reject(new ConfigError('regions.x: there is no such provider'))
    writeConfig({ logLevel: 'error' })
    assert.equal((await admin.post('/admin/config/reload', {})).status, 422)
    assert.equal((await settingNamed('logLevel')).value, 'info')
  })
})

describe('GET /admin/config', () => {
  test('shows every setting with its origin, and no secret', async () => {
    await configure({ ...mineAt(one.url, 1), timeouts: { openai: { totalMs: 5_000 } }, uploadLimitMb: 7 })
    const { text, body } = await admin.get<ConfigReport>('/admin/config')
    assert.doesNotMatch(text, new RegExp(`${SECRET}|${KEYS.gatehouseApiKey}|test-admin-key|digest`))
    const origins = Object.fromEntries(body.values.map(({ name, origin }) => [name, origin]))
    assert.deepEqual(
      Object.keys(SETTINGS).filter((name) => !origins[name]),
      [],
    )
    const expected = {
      host: 'default',
      dataDir: 'environment',
      uploadLimitMb: 'file',
      gatehouseApiKey: 'file',
      'timeouts.connectMs': 'default',
      'timeouts.openai.totalMs': 'file',
      'providers.openai.baseUrl': 'environment',
      'providers.openai.credentials': 'environment',
      'providers.anthropic.baseUrl': 'default',
      'providers.mine.baseUrl': 'file',
      'store.linkSecret': 'store',
    }
    for (const [name, origin] of Object.entries(expected)) assert.equal(origins[name], origin, name)
    const shown = Object.fromEntries(body.values.map(({ name, value }) => [name, value]))
    assert.deepEqual(shown['providers.openai.credentials'], ['***9b-a', '***9b-b'])
    assert.equal(shown['providers.openai.baseUrl'], 'http://***@127.0.0.1:9/v1?***')
    assert.equal(body.file, file)
  })

  test('compares the values with those of other processes', async () => {
    const other = { path: ['logLevel'], value: 'debug', origin: 'environment' as const }
    const mine = gateway.gateway.configuration.report()
    const values = mine.values.map((value) => (value.name === 'logLevel' ? reported(other, 'any key') : value))
    others.reports = async () => [{ process: 'elsewhere:1', loadedAt: 0, values }]
    const { body } = await admin.get<ConfigReport>('/admin/config')
    assert.deepEqual(body.processes, [mine.process, 'elsewhere:1'])
    const [here, there] = body.process_states
    assert.deepEqual([here!.agrees, there!.agrees, there!.process], [true, false, 'elsewhere:1'])
    assert.match(here!.version!, /^\d+\.\d+/)
    assert.notEqual(here!.config_fingerprint, there!.config_fingerprint)
    const compared = [
      { process: mine.process, value: 'info' },
      { process: 'elsewhere:1', value: 'debug' },
    ]
    assert.deepEqual(body.differences, [{ name: 'logLevel', values: compared }])
  })

  test('needs an admin key, and the document of the admin listener has it', async () => {
    const stranger = adminClient(gateway.adminUrl, KEYS.gatehouseApiKey)
    assert.equal((await stranger.get('/admin/config')).status, 401)
    assert.equal((await stranger.post('/admin/config/reload', {})).status, 401)
    const { body } = await admin.get<{ paths: Record<string, object> }>('/openapi.json')
    assert.ok(body.paths['/admin/config'] && body.paths['/admin/config/reload'])
  })
})

function writeConfig(content: object): void {
  writeFileSync(file, JSON.stringify({ ...KEYS, ...content }))
}

async function configure(content: object): Promise<ReloadReport> {
  writeConfig(content)
  const { status, text, body } = await admin.post<ReloadReport>('/admin/config/reload', {})
  assert.equal(status, 200, text)
  return body
}

async function restingModels(): Promise<string[]> {
  const { body } = await admin.get<{ circuits: { model: string }[] }>('/admin/targets')
  return body.circuits.map(({ model }) => model).filter((model) => model.startsWith('mine/'))
}

function row(baseUrl: string) {
  return { dialect: 'openai', baseUrl }
}

function mineAt(url: string, price: number) {
  const models = [{ id: 'small', price: { input: price, output: price } }]
  return { providers: { mine: { ...row(url), models } } }
}

async function settingNamed(name: string) {
  const { body } = await admin.get<ConfigReport>('/admin/config')
  return body.values.find((value) => value.name === name)!
}

function ask(more: object): Promise<Response> {
  const body = { model: 'mine/small', messages: [{ role: 'user', content: 'x' }], ...more }
  return post('/v3/chat/completions', body, KEYS.gatehouseApiKey)
}

function post(path: string, body: object, key: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function statusByName(host: string): Promise<number> {
  const { port } = new URL(gateway.adminUrl)
  const { get } = await import('node:http')
  return new Promise((resolve, reject) => {
    const request = { port, path: '/health/live', headers: { host } }
    get(request, (response) => resolve(response.resume().statusCode!)).on('error', reject)
  })
}
