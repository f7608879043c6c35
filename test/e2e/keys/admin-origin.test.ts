import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { loadConfig } from '../../../src/platform/config/config.ts'
import { ADMIN_ROUTES } from '../../../src/http/routes/admin-routes.ts'
import { ADMIN_KEY, API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import { exchange, request } from '../../gateway/raw-http.ts'

// Pages of other sites, and names that resolve to this machine, reach nothing on the admin listener.

const gateway = await startGateway({ env: { ADMIN_HOSTS: 'admin.example, gatehouse-admin.ops.svc' } })
after(() => gateway.close())

const AUTHORIZED = `Authorization: Bearer ${ADMIN_KEY}`
const NOWHERE = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'].map((method) => `${method} /admin/nothing`)
const LINES = [
  ...ADMIN_ROUTES.map(({ method, path }) => `${method} ${path.replace(/[:{]\w+\}?/g, 'some-id')}`),
  ...['/metrics', '/health/live', '/admin/keys'].map((path) => `OPTIONS ${path}`),
  ...NOWHERE,
]

const HOSTILE: [title: string, headers: string[]][] = [
  ['a name that was rebound', ['Host: evil.test:8081']],
  ['a page of another site', ['Host: 127.0.0.1:8081', 'Origin: https://evil.test']],
  ['a page without an origin', ['Host: 127.0.0.1:8081', 'Origin: null']],
  ['a picture on another site', ['Host: localhost', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors']],
]

describe('refused with 403, with the right key, on every path and by every method', () => {
  for (const [title, headers] of HOSTILE)
    test(title, async () => {
      for (const line of LINES) {
        const { status, body } = await exchange(
          gateway.adminUrl,
          request(line, [...headers, AUTHORIZED, 'Connection: close']),
        )
        assert.equal(status, 403, line)
        if (!line.startsWith('HEAD')) assert.equal(JSON.parse(body).error.code, 'not_allowed', line)
      }
    })
})

describe('answered', () => {
  const hosts = [
    '127.0.0.1',
    '[::1]:8081',
    '10.244.1.7:8081',
    'localhost:8081',
    'Admin.Example',
    'gatehouse-admin.ops.svc.:80',
  ]
  for (const host of hosts)
    test(host, async () => {
      for (const path of ['/metrics', '/health/live', '/admin/keys']) {
        const { status } = await exchange(gateway.adminUrl, request(`GET ${path}`, [`Host: ${host}`, AUTHORIZED]))
        assert.equal(status, 200, path)
      }
    })

  test('a page of its own', async () => {
    const headers = ['Host: admin.example', 'Origin: https://admin.example', 'Sec-Fetch-Site: same-origin', AUTHORIZED]
    assert.equal((await exchange(gateway.adminUrl, request('GET /admin/keys', headers))).status, 200)
  })
})

test('the refusal of a name says what to set', async () => {
  const { body } = await exchange(gateway.adminUrl, request('GET /metrics', ['Host: prometheus-target']))
  assert.match(JSON.parse(body).error.message, /ADMIN_HOSTS/)
})

test('a request without a host gets 400', async () => {
  const old = await exchange(gateway.adminUrl, 'GET /metrics HTTP/1.0\r\n\r\n')
  assert.deepEqual([old.status, JSON.parse(old.body).error.code], [400, 'bad_request'])
  assert.equal((await exchange(gateway.adminUrl, 'GET /metrics HTTP/1.1\r\n\r\n')).status, 400)
})

test('a target with a host of its own is held to that host', async () => {
  const body = (target: string) => exchange(gateway.adminUrl, request(`GET ${target}`, ['Host: localhost', AUTHORIZED]))
  assert.equal((await body('http://evil.test/metrics')).status, 403)
})

test('the API is called by any name, and by pages', async () => {
  const headers = ['Host: api.example', 'Origin: https://app.example', `Authorization: Bearer ${API_KEY}`]
  assert.equal((await exchange(gateway.url, request('GET /v3/models', headers))).status, 200)
})

test('names are one text with commas, or a list in the config file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-hosts-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'config.json')
  const read = async (adminHosts: unknown) => {
    await writeFile(file, JSON.stringify({ adminHosts }))
    return loadConfig({ GATEHOUSE_CONFIG: file }).adminHosts
  }
  assert.deepEqual(await read(['Admin.Example.', 'gatehouse']), ['admin.example', 'gatehouse'])
  assert.deepEqual(await read('admin.example , gatehouse'), ['admin.example', 'gatehouse'])
  for (const wrong of ['https://x', 'x:8081', '*.x', 'x,,y', '', [''], [1], 1, '-x', 'a b'])
    await assert.rejects(read(wrong), { name: 'ConfigError', message: /^adminHosts: / }, JSON.stringify(wrong))
})
