import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from './response-head.ts'

test('names are in small letters, values without what stands around them', () => {
  const { headers } = headOf('X-Request-ID: \t a b \t', 'empty:', "ODD!#$%&'*+-.^_`|~09: \x80\xff", 'x: a:b')
  assert.deepEqual(headers, { 'x-request-id': 'a b', empty: '', "odd!#$%&'*+-.^_`|~09": '\x80\xff', x: 'a:b' })
})

test('only spaces and tabs stand around a value: another blank belongs to it', () => {
  assert.equal(headOf('x: \xa0a\xa0').headers.x, '\xa0a\xa0')
})

test('a header that comes again is a list, in order', () => {
  const { headers } = headOf('Set-Cookie: a', 'x: 1', 'set-cookie: b', 'SET-COOKIE: c')
  assert.deepEqual(headers, { 'set-cookie': ['a', 'b', 'c'], x: '1' })
})

test('thousands of the same header take no longer than as many others', () => {
  const { headers } = headOf(...Array(10_000).fill('a:b'))
  assert.equal(headers.a?.length, 10_000)
})

test('names that every object knows are names like others', () => {
  const { headers } = headOf('constructor: a', 'hasOwnProperty: b', 'toString: c', 'valueOf: d', 'constructor: e')
  assert.deepEqual({ ...headers }, { constructor: ['a', 'e'], hasownproperty: 'b', tostring: 'c', valueof: 'd' })
  assert.equal(Object.getPrototypeOf(headers), Object.prototype)
})

test('a name that would reach behind the object is refused, in any letter case', () => {
  for (const name of ['__proto__', '__PROTO__', '__Proto__'])
    for (let time = 0; time < 2; time++) assert.throws(() => headOf(`${name}: a`), { kind: 'protocol' })
})

test('the head says how the body ends', () => {
  const framings: [string, string[], unknown][] = [
    ['HTTP/1.1 200', ['content-length: 12'], 12],
    ['HTTP/1.1 200', ['content-length: 999999999999999'], 999_999_999_999_999],
    ['HTTP/1.1 200', ['transfer-encoding: chunked'], 'chunked'],
    ['HTTP/1.1 200', [], 'until the end'],
    ['HTTP/1.1 404', [], 'until the end'],
    ['HTTP/1.1 204', [], 0],
    ['HTTP/1.1 304', ['content-length: 12'], 0],
    ['HTTP/1.1 103', [], 0],
  ]
  for (const [first, lines, framing] of framings)
    assert.equal(readHead([first, ...lines].join('\r\n')).framing, framing, `${first} ${lines}`)
})

test('whether the connection may be used again', () => {
  const words: [string, string[], boolean][] = [
    ['HTTP/1.1', [], true],
    ['HTTP/1.1', ['connection: keep-alive'], true],
    ['HTTP/1.1', ['connection: Upgrade'], true],
    ['HTTP/1.1', ['connection: close'], false],
    ['HTTP/1.1', ['Connection: CLOSE'], false],
    ['HTTP/1.1', ['connection: keep-alive, close'], false],
    ['HTTP/1.1', ['connection: keep-alive', 'connection: close'], false],
    ['HTTP/1.0', [], false],
    ['HTTP/1.0', ['connection: Keep-Alive'], true],
    ['HTTP/1.0', ['connection: close'], false],
    ['HTTP/1.0', ['connection: keep-alive, close'], false],
    ['HTTP/1.0', ['connection: close', 'connection: keep-alive'], false],
  ]
  for (const [version, lines, keepsAlive] of words) {
    const head = readHead([`${version} 200 OK`, 'content-length: 0', ...lines].join('\r\n'))
    assert.equal(head.keepsAlive, keepsAlive, `${version} ${lines}`)
  }
})

test('chunks of HTTP/1.0, which has none, are read, but nothing is believed after them', () => {
  const head = readHead('HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\nconnection: keep-alive')
  assert.deepEqual([head.framing, head.keepsAlive], ['chunked', false])
})

test('how long the other side keeps a connection', () => {
  const hints: [string, number | undefined][] = [
    ['timeout=5', 5_000],
    ['Timeout=5, max=100', 5_000],
    ['max=100, timeout=65', 65_000],
    ['timeout=0', 0],
    ['max=100', undefined],
    ['timeout=-5', undefined],
    ['', undefined],
  ]
  for (const [hint, ms] of hints) assert.equal(headOf(`Keep-Alive: ${hint}`).keepsForMs, ms, hint)
  assert.equal(headOf('x: y').keepsForMs, undefined)
  assert.equal(headOf('keep-alive: max=5', 'keep-alive: timeout=7').keepsForMs, 7_000)
})

function headOf(...lines: string[]) {
  return readHead(['HTTP/1.1 200 OK', ...lines].join('\r\n'))
}
