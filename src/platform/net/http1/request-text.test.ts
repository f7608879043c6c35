import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WireRequest } from '../../../translation/wire/wire.ts'
import { parseUrl, requestHead } from './request-text.ts'

const URL = 'https://api.example.org/v1/chat?x=1'

test('a request as it is written', () => {
  assert.equal(
    headOf({ headers: { 'content-type': 'application/json', Authorization: 'Bearer k' } }, 12),
    'POST /v1/chat?x=1 HTTP/1.1\r\nhost: api.example.org\r\nconnection: keep-alive\r\n' +
      'content-type: application/json\r\nAuthorization: Bearer k\r\ncontent-length: 12\r\n\r\n',
  )
})

test('a header that could end a line early is refused, in its name and in its value', () => {
  const bad = [
    '\r',
    '\n',
    '\r\n',
    '\r\nhost: evil',
    '\0',
    '\x01',
    '\x0b',
    '\x1f',
    '\x7f',
    '\u0100',
    '\u010a',
    '\u2028',
    '😀',
  ]
  for (const words of bad)
    for (const value of ['', 'a', 'a '].map((before) => `${before}${words}`))
      for (const text of [value, `${value}b`]) {
        assert.throws(() => headOf({ headers: { 'x-a': text } }), { kind: 'protocol' }, JSON.stringify(text))
        assert.throws(() => headOf({ headers: { [`x${text}`]: 'a' } }), { kind: 'protocol' }, JSON.stringify(text))
      }
})

test('a name that is none is refused', () => {
  for (const name of ['', ' ', 'x y', 'x:', ':x', 'x\t', '"x"', 'x/y', 'host ', ' host', 'ä', '\xe4', '[x]', 'x,y'])
    assert.throws(() => headOf({ headers: { [name]: 'a' } }), { kind: 'protocol' }, JSON.stringify(name))
})

test('what a value may hold is written as it is', () => {
  const value = ` \t!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~\x80\xff`
  assert.ok(headOf({ headers: { 'x-a': value } }).includes(`\r\nx-a: ${value}\r\n`))
})

test('a caller’s header never replaces one of ours, in any letter case', () => {
  for (const name of ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade'])
    for (const written of [name, name.toUpperCase(), name.replace(/\b\w/g, (letter) => letter.toUpperCase())]) {
      assert.equal(headOf({ headers: { [written]: 'chunked' } }, 5), headOf({}, 5), written)
    }
})

test('the length of a body is stated if there is one, and if one is expected', () => {
  const lengthOf = (method: WireRequest['method'], length: number | null) =>
    /content-length: (.*)\r\n/.exec(headOf({ method }, length))?.[1]
  assert.deepEqual(
    ['POST', 'PUT', 'GET', 'DELETE'].map((method) => lengthOf(method as 'GET', 7)),
    ['7', '7', '7', '7'],
  )
  assert.deepEqual(
    ['POST', 'PUT'].map((method) => lengthOf(method as 'PUT', null)),
    ['0', '0'],
  )
  assert.deepEqual(
    ['GET', 'DELETE'].map((method) => lengthOf(method as 'GET', null)),
    [undefined, undefined],
  )
  assert.equal(lengthOf('GET', 0), '0')
})

test('a URL says the host, the port, the Host header and the path', () => {
  const expected: [string, boolean, string, number, string, string][] = [
    ['https://a.example', true, 'a.example', 443, 'a.example', '/'],
    ['http://a.example', false, 'a.example', 80, 'a.example', '/'],
    ['https://a.example:443/x', true, 'a.example', 443, 'a.example', '/x'],
    ['http://a.example:443/x', false, 'a.example', 443, 'a.example:443', '/x'],
    ['https://A.Example:8443/X?y=%20#z', true, 'a.example', 8443, 'a.example:8443', '/X?y=%20'],
    ['http://127.0.0.1:0/', false, '127.0.0.1', 0, '127.0.0.1:0', '/'],
    ['http://[::1]:8080/x', false, '::1', 8080, '[::1]:8080', '/x'],
    ['https://[2001:DB8::1]/x', true, '2001:db8::1', 443, '[2001:db8::1]', '/x'],
    ['https://bücher.example/ä?ö', true, 'xn--bcher-kva.example', 443, 'xn--bcher-kva.example', '/%C3%A4?%C3%B6'],
    ['http://a.example?x', false, 'a.example', 80, 'a.example', '/?x'],
  ]
  for (const [url, isSecure, hostname, port, host, path] of expected) {
    const parsed = parseUrl(url)
    assert.deepEqual(
      [parsed.isSecure, parsed.hostname, parsed.port, parsed.host, parsed.path],
      [isSecure, hostname, port, host, path],
    )
    assert.equal(parseUrl(url), parsed)
  }
})

test('nothing of an address can end a line', () => {
  for (const words of ['\r\n', '\r\nx: y', ' ', '\t', '\0', '\u2028', '"', '<>']) {
    const { path } = parseUrl(`http://a.example/a${words}b?c${words}d#${words}`)
    assert.match(path, /^[!-~]+$/)
  }
})

test('a name and a password in an address are not sent', () => {
  const parsed = parseUrl('https://user:secret@a.example/x')
  assert.equal(parsed.origin, 'https://a.example')
  assert.doesNotMatch(requestHead(requestOf({}), parsed, { length: null }), /user|secret/)
})

test('an address of another kind is refused: without an origin, such would share their connections', () => {
  for (const url of [
    'ftp://a.example/',
    'ws://a.example/',
    'data:,x',
    'file:///x',
    'foo://a.example/x',
    'blob:https://a.example/x',
  ])
    for (let time = 0; time < 2; time++) assert.throws(() => parseUrl(url), { kind: 'protocol' }, url)
})

function headOf(request: Partial<WireRequest>, length: number | null = null): string {
  return requestHead(requestOf(request), parseUrl(URL), { length })
}

function requestOf(request: Partial<WireRequest>): WireRequest {
  return { method: 'POST', url: URL, headers: {}, body: null, ...request }
}
