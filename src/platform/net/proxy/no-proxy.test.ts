import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openProxies } from './choose-proxy.ts'
import { parseNoProxy } from './no-proxy.ts'

const CASES: [noProxy: string, host: string, isExcepted: boolean, port?: number][] = [
  ['', 'a.example', false],
  ['*', 'a.example', true],
  ['b.example, *', '10.0.0.1', true],
  ['example.org', 'example.org', true],
  ['example.org', 'api.example.org', true],
  ['example.org', 'notexample.org', false],
  ['.example.org', 'example.org', true],
  ['.example.org', 'a.b.example.org', true],
  ['*.example.org', 'api.example.org', true],
  ['EXAMPLE.org.', 'Api.Example.Org.', true],
  ['api.example.org', 'example.org', false],
  ['one.example two.example,three.example', 'two.example', true],
  ['example.org:8443', 'example.org', true, 8443],
  ['example.org:8443', 'example.org', false],
  ['10.0.0.1', '10.0.0.1', true],
  ['10.0.0.1', '10.0.0.10', false],
  ['10.0.0.1:8080', '10.0.0.1', false],
  ['10.0.0.1:443', '10.0.0.1', true],
  ['10.0.0.0/8', '10.200.3.4', true],
  ['10.1.2.3/8', '10.200.3.4', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.0.0.0/8', '10.example.org', false],
  ['0.0.0.0/0', '203.0.113.7', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['2001:db8::/32', '2001:db8:1::7', true],
  ['2001:db8::1', '2001:db8:0::1', true],
  ['[2001:db8::1]:443', '2001:db8::1', true],
  ['[2001:db8::1]:444', '2001:db8::1', false],
  ['10.0.0.0/33', '10.0.0.1', false],
  ['10.0.0.0/x', '10.0.0.1', false],
  ['.', 'a.example', false],
]

test('NO_PROXY takes names with their subdomains, addresses, networks, ports and *', () => {
  for (const [text, hostname, isExcepted, port = 443] of CASES)
    assert.equal(parseNoProxy(text)({ hostname, port }), isExcepted, `${text} for ${hostname}:${port}`)
})

test('which proxy is used: the one of the scheme, none for this machine, and the wish for an origin first', () => {
  const byOrigin = new Map([
    ['https://own.example', { setting: 'providers.own.proxy', proxy: 'http://own-proxy:1/' }],
    ['https://direct.example', { setting: 'providers.direct.proxy', proxy: false as const }],
    ['http://127.0.0.1:11434', { setting: 'providers.ollama.proxy', proxy: 'http://own-proxy:1/' }],
  ])
  const choose = openProxies({
    httpsProxy: 'http://user:p%40ss@secure-proxy:3128/',
    httpProxy: 'https://plain-proxy/',
    noProxy: 'own.example,inside.example',
    byOrigin,
  })
  const hostOf = (text: string) => {
    const { origin, protocol, hostname, port } = new URL(text)
    const isSecure = protocol === 'https:'
    return choose({ origin, isSecure, hostname: hostname.replace(/[[\]]/g, ''), port: Number(port) || 443 })?.host
  }
  const chosen = {
    'https://a.example': 'secure-proxy',
    'http://a.example': 'plain-proxy',
    'https://own.example': 'own-proxy',
    'https://direct.example': undefined,
    'https://api.inside.example': undefined,
    'http://localhost:8000': undefined,
    'http://api.localhost': undefined,
    'https://127.3.2.1': undefined,
    'https://[::1]:8000': undefined,
    'http://127.0.0.1:11434': 'own-proxy',
    'https://localhost.example': 'secure-proxy',
  }
  for (const [address, host] of Object.entries(chosen)) assert.equal(hostOf(address), host, address)
  const place = { origin: 'https://a.example', isSecure: true, hostname: 'a.example', port: 443 }
  const { authorization, port } = choose(place)!
  assert.deepEqual([authorization, port], [`Basic ${Buffer.from('user:p@ss').toString('base64')}`, 3128])
  assert.equal(openProxies({})(place), undefined)
})
