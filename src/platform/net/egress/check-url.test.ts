import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { checkUrl } from './check-url.ts'
import { parseNetworks } from '../addresses/networks.ts'
import { EgressRefused } from './refusal.ts'

const POLICY = { allow: [], ownListeners: () => [] }
const DEVELOPMENT = { ...POLICY, allow: parseNetworks('127.0.0.0/8') }

test('https addresses of public names and addresses are accepted as they are', () => {
  const urls = [
    'https://example.org/',
    'https://hooks.example.org:8443/a/b?c=d',
    'https://8.8.8.8/',
    'HTTPS://EXAMPLE.ORG',
  ]
  const more = ['https://[2a00:1450:4001::200e]:8443/', 'https://bücher.example.org/', 'https://example.org/#part']
  for (const url of [...urls, ...more]) assert.equal(checkUrl(url, POLICY).href, new URL(url).href)
})

test('any other scheme is refused', () => {
  const schemes = [
    'http',
    'ftp',
    'file',
    'gopher',
    'ws',
    'wss',
    'ldap',
    'dict',
    'sftp',
    'tftp',
    'jar',
    'netdoc',
    'unix',
  ]
  for (const scheme of schemes) refused(`${scheme}://example.org/`)
  const others = [
    'javascript:alert(1)',
    'data:text/plain,x',
    'blob:https://example.org/x',
    'about:blank',
    'mailto:a@b.c',
  ]
  for (const url of [...others, 'h\nttp://example.org', 'view-source:https://example.org', 'file:///etc/passwd'])
    refused(url)
})

test('what is no absolute URL is refused', () => {
  for (const text of ['', ' ', 'example.org', '//example.org/', '/path', 'https://', 'https://?x', 'https:', '\u0000'])
    refused(text)
})

test('the longest address has 2083 characters', () => {
  const start = 'https://example.org/'
  assert.ok(checkUrl(start.padEnd(2_083, 'x'), POLICY))
  refused(start.padEnd(2_084, 'x'))
})

test('user names and passwords are refused', () => {
  for (const userinfo of ['user', 'user:password', ':password', 'user:', 'example.org', '127.0.0.1', '%75', 'a@b'])
    refused(`https://${userinfo}@example.org/`)
})

test('tricks with @, backslash, fragment and white space dial the host that was judged, or nothing', () => {
  const rows: [string, string | undefined][] = [
    ['https://example.org\\@127.0.0.1/', 'example.org'],
    ['https://127.0.0.1\\@example.org/', undefined],
    ['https://example.org#@127.0.0.1/', 'example.org'],
    ['https://127.0.0.1#@example.org/', undefined],
    ['https://example.org?@127.0.0.1/', 'example.org'],
    ['https://127.0.0.1?@example.org/', undefined],
    ['https://example.org/@127.0.0.1/', 'example.org'],
    ['https://127.0.0.1:443@example.org/', undefined],
    ['https://example.org:443@127.0.0.1/', undefined],
    ['https://example.org%40127.0.0.1/', undefined],
    ['https://example.org%2f127.0.0.1/', undefined],
    ['https://example.org%23127.0.0.1/', undefined],
    ['https://example.org%00.127.0.0.1/', undefined],
    ['https://example.org 127.0.0.1/', undefined],
    ['https://example.org\t.example.net/', 'example.org.example.net'],
    ['https://loc\nalhost/', undefined],
    ['https://local\u00adhost/', undefined],
    ['https:127.0.0.1/', undefined],
    ['https:/127.0.0.1/', undefined],
    ['https:\\\\127.0.0.1\\', undefined],
    ['https:///127.0.0.1/', undefined],
    ['https:///example.org/', 'example.org'],
    ['https:example.org', 'example.org'],
    ['\u0000 https://127.0.0.1/ \u001f', undefined],
    [' https://example.org/ ', 'example.org'],
    ['https://@example.org/', 'example.org'],
    ['https://@127.0.0.1/', undefined],
    ['https://example.org,127.0.0.1/', undefined],
    ['https://example.org;127.0.0.1/', undefined],
    ['https://127.0.0.1.example.org/', '127.0.0.1.example.org'],
    ['https://ｅｘａｍｐｌｅ.org/', 'example.org'],
    ['https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', undefined],
    ['https://example。org/', 'example.org'],
  ]
  for (const [url, host] of rows) {
    if (host === undefined) refused(url)
    else assert.equal(checkUrl(url, POLICY).hostname, host, url)
  }
})

test('names that lead inside are refused, with and without a trailing dot', () => {
  const special = [
    'localhost',
    'app.localhost',
    'printer.local',
    'db.internal',
    'metadata.google.internal',
    'a.localdomain',
  ]
  const inside = [
    'router.lan',
    'nas.home',
    'nas.home.arpa',
    'wiki.corp',
    'wiki.intranet',
    'x.private',
    'x.onion',
    'x.alt',
  ]
  const clusters = [
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    'host.docker.internal',
    'metadata.goog',
  ]
  const single = ['metadata', 'instance-data', 'redis', 'intranet', 'com', 'LOCALHOST', 'LocalHost', 'xn--p1ai']
  for (const name of [...special, ...inside, ...clusters, ...single]) {
    refused(`https://${name}/`)
    refused(`https://${name}./`)
  }
})

test('a trailing dot of a public name is dropped, so that the name dialled has one form', () => {
  assert.equal(checkUrl('https://example.org./x', POLICY).href, 'https://example.org/x')
  refused('https://example.org../')
})

test('names that no server can have are refused', () => {
  const label = 'a'.repeat(63)
  const longest = `${label}.${label}.${label}.${'b'.repeat(57)}.org`
  assert.equal(longest.length, 253)
  assert.ok(checkUrl(`https://${longest}/`, POLICY))
  for (const name of [
    `a${longest}`,
    `b.${longest}`,
    `${label}a.org`,
    'a..org',
    '.example.org',
    '-a.org',
    'a-.org',
    '*.org',
  ])
    refused(`https://${name}/`)
})

test('names that only look special are accepted', () => {
  for (const name of [
    'localhost.example.org',
    'notlocalhost.org',
    'mylocal.org',
    'internal.example.org',
    'my_app.example.org',
  ])
    assert.equal(checkUrl(`https://${name}/`, POLICY).hostname, name)
})

test('ports of mail, shells, databases and the like are refused, and those that are none', () => {
  for (const port of [443, 1_024, 3_000, 8_080, 8_443, 49_152, 65_535])
    assert.ok(checkUrl(at(port), POLICY), String(port))
  assert.ok(checkUrl(at(80), POLICY))
  for (const port of [0, 1, 22, 25, 53, 110, 143, 389, 445, 587, 993, 1_023]) refused(at(port))
  for (const port of [2_049, 2_375, 3_306, 5_060, 5_432, 6_000, 6_379, 6_667, 9_200, 10_080, 10_250, 11_211, 27_017])
    refused(at(port))
  for (const port of [65_536, -1, 1e9]) refused(at(port))
  refused('https://example.org:http/')
})

test("the gateway's own listeners are refused, however they are addressed", () => {
  const bound = (address: string) => ({
    allow: parseNetworks('127.0.0.0/8, ::1/128'),
    ownListeners: () => [{ address, port: 8_080 }],
  })
  for (const url of [
    'http://127.0.0.1:8080/',
    'https://127.0.0.1:8080/',
    'http://127.1:8080/',
    'http://2130706433:8080/',
  ])
    for (const address of ['127.0.0.1', '0.0.0.0', '::']) refused(url, bound(address))
  for (const url of ['http://[::1]:8080/', 'http://127.9.9.9:8080/', 'http://[0:0::0:1]:8080/'])
    refused(url, bound('::'))
  assert.ok(checkUrl('http://127.0.0.1:8081/', bound('0.0.0.0')), 'another port')
  assert.ok(checkUrl('http://127.0.0.2:8080/', bound('127.0.0.1')), 'another address')
})

test("a listener everywhere is refused at this machine's own addresses, public or not, and nowhere else", () => {
  const mine = Object.values(networkInterfaces()).flatMap((cards) => cards ?? [])
  const allow = parseNetworks('0.0.0.0/0, ::/0')
  const policy = { allow, ownListeners: () => [{ address: '::', port: 8_443 }] }
  assert.ok(mine.length > 0)
  for (const { address, family, scopeid } of mine)
    if (!scopeid) refused(`https://${family === 'IPv6' ? `[${address}]` : address}:8443/`, policy)
  assert.ok(checkUrl('https://8.8.8.8:8443/', policy))
})

test('plain http is for allowed networks: a literal is judged at once, a name once it is resolved', () => {
  assert.ok(checkUrl('http://127.0.0.1:9000/', DEVELOPMENT))
  assert.ok(checkUrl('http://hooks.example.org/', DEVELOPMENT))
  for (const url of [
    'http://8.8.8.8/',
    'http://10.0.0.1/',
    'http://169.254.169.254/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
  ])
    refused(url, DEVELOPMENT)
  for (const url of ['http://127.0.0.1:9000/', 'http://hooks.example.org/'])
    refused(url, { ...DEVELOPMENT, requireHttps: true })
  assert.ok(checkUrl('https://127.0.0.1:9000/', { ...DEVELOPMENT, requireHttps: true }))
})

test('allowed networks change nothing about names, ports and user names', () => {
  for (const url of [
    'http://localhost:9000/',
    'http://127.0.0.1:22/',
    'http://127.0.0.1:6379/',
    'http://a:b@127.0.0.1:9000/',
  ])
    refused(url, DEVELOPMENT)
})

function refused(url: string, policy: Parameters<typeof checkUrl>[1] = POLICY): void {
  assert.throws(() => checkUrl(url, policy), EgressRefused, url)
}

function at(port: number): string {
  return `https://example.org:${port}/`
}
