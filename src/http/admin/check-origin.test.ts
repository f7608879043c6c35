import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { adminNames, originProblem } from './check-origin.ts'

const NAMES = adminNames({ adminHost: '127.0.0.1', adminHosts: ['admin.example', 'gatehouse'] })

const HOSTS: [host: string, isTaken: boolean][] = [
  ...['127.0.0.1', '127.0.0.1:8081', '10.1.2.3:8081', '203.0.113.9', '[::1]', '[::1]:8081', '[fe80::1]:8081'].map(
    taken,
  ),
  ...['[::ffff:127.0.0.1]:8081', '[2001:DB8::1]', '0.0.0.0:8081', '2130706433', '0x7f.1'].map(taken),
  ...[
    'localhost',
    'localhost:8081',
    'LOCALHOST',
    'localhost.',
    'localhost.:8081',
    'app.localhost',
    'a.b.localhost:1',
  ].map(taken),
  ...['admin.example', 'ADMIN.example:8081', 'admin.example.', 'admin.example.:443', 'gatehouse:8081'].map(taken),
  ...['evil.test', 'evil.test:8081', 'admin.example.evil.test', 'xadmin.example', 'sub.admin.example'].map(refused),
  ...['localhost.evil.test', 'notlocalhost', '127.0.0.1.nip.io', '127.0.0.1.evil.test:8081', '.localhost'].map(refused),
  ...['localhost@evil.test', 'evil.test#localhost', 'evil.test/localhost', 'localhost, evil.test', ' localhost'].map(
    refused,
  ),
  ...[
    'localhost:8081:8081',
    'localhost:x',
    'localhost:999999',
    '[::1',
    '::1',
    '[evil.test]',
    '[::1]evil.test',
    '..',
  ].map(refused),
  ...['1.2.3.4.5', '999.1.1.1', 'localhost\\evil.test', 'loc%61lhost', 'ⓛocalhost', 'localhost\0', '-', '*', '%'].map(
    refused,
  ),
]

describe('Host of the admin listener', () => {
  for (const [host, isTaken] of HOSTS)
    test(`${JSON.stringify(host)} is ${isTaken ? 'taken' : 'refused'}`, () => {
      const found = originProblem({ method: 'GET', url: '/', headers: { host } }, NAMES)
      assert.equal(found?.status, isTaken ? undefined : 403)
      if (found) assert.match(found.message, /ADMIN_HOSTS/)
    })

  test('a request without one is no request', () => {
    for (const headers of [{}, { host: '' }]) {
      const found = originProblem({ method: 'GET', url: '/', headers }, NAMES)
      assert.deepEqual([found?.status, found?.code], [400, 'bad_request'])
    }
  })

  test('a target that names another host is refused, one that names the same is not', () => {
    const headers = { host: 'localhost:8081' }
    const found = (url: string) => originProblem({ method: 'GET', url, headers }, NAMES)?.status
    assert.deepEqual(['/metrics', '*', 'http://localhost:8081/metrics'].map(found), [undefined, undefined, undefined])
    assert.deepEqual(['http://evil.test/metrics', 'http://localhost/', 'evil'].map(found), [403, 403, 403])
  })

  test('a name that it listens on is one of its names, a number adds none', () => {
    assert.deepEqual([...adminNames({ adminHost: 'Admin.Internal', adminHosts: [] })], ['admin.internal'])
    for (const adminHost of ['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost'])
      assert.equal(adminNames({ adminHost, adminHosts: [] }).size, 0, adminHost)
  })
})

const ORIGINS: [host: string, origin: string, isTaken: boolean][] = [
  ['127.0.0.1:8081', 'http://127.0.0.1:8081', true],
  ['127.0.0.1', 'http://127.0.0.1', true],
  ['[::1]:8081', 'http://[::1]:8081', true],
  ['admin.example', 'https://admin.example', true],
  ['Admin.Example', 'https://admin.example', true],
  ['10.0.0.9:8081', 'https://admin.example', true],
  ['10.0.0.9:8081', 'https://admin.example:443', true],
  ...[
    ...['null', '', 'http://evil.test', 'https://evil.test:8081', 'http://127.0.0.1', 'http://127.0.0.1:3000'],
    ...['http://localhost:8081', 'https://admin.example:3000', 'http://admin.example:8081', 'file://', 'http://'],
    ...[
      'http://127.0.0.1:8081/',
      'http://127.0.0.1:8081, http://evil.test',
      'http://u@127.0.0.1:8081',
      '127.0.0.1:8081',
    ],
    ...['chrome-extension://abcdef', 'http://127.0.0.1:8081.evil.test', 'http://127.0.0.1:8081@evil.test', 'localhost'],
  ].map((origin): [string, string, boolean] => ['127.0.0.1:8081', origin, false]),
]

describe('Origin on the admin listener', () => {
  for (const [host, origin, isTaken] of ORIGINS)
    test(`${JSON.stringify(origin)} at ${host} is ${isTaken ? 'taken' : 'refused'}`, () => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const found = originProblem({ method, url: '/', headers: { host, origin } }, NAMES)
        assert.equal(found?.status, isTaken ? undefined : 403, method)
      }
    })
})

test('a browser that says that another site asks is refused, unless its user follows a link', () => {
  const from = (site: string, more: Record<string, string> = {}, method = 'GET') => {
    const headers = { host: 'localhost:8081', 'sec-fetch-site': site, ...more }
    return originProblem({ method, url: '/', headers }, NAMES)?.status
  }
  const link = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  assert.deepEqual(
    ['same-origin', 'none'].map((site) => from(site)),
    [undefined, undefined],
  )
  assert.deepEqual(
    ['cross-site', 'same-site'].map((site) => from(site)),
    [403, 403],
  )
  assert.deepEqual([from('cross-site', link), from('cross-site', link, 'POST')], [undefined, 403])
  assert.equal(from('cross-site', { ...link, 'sec-fetch-dest': 'iframe' }), 403)
})

function taken(host: string): [string, boolean] {
  return [host, true]
}

function refused(host: string): [string, boolean] {
  return [host, false]
}
