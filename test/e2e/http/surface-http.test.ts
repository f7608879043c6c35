import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { exchange, exchangeToTheEnd, open, type RawReply, readReply, request } from '../../gateway/raw-http.ts'
import { MB } from '../../../src/base/units/units.ts'

// Invalid HTTP, and HTTP that two programs would read differently. A second request is hidden behind each: it must never be
// answered.

const KEY = `Authorization: Bearer ${API_KEY}`
const CHAT = 'POST /v3/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json'
/** Node looks for connections that take too long every two seconds. */
const LONGER_THAN_CHECKS_MS = 2_100
const HIDDEN = `GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`

const NONSENSE: Record<string, string> = {
  'a length and chunks': `${CHAT}\r\n${KEY}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'chunks and a length': `${CHAT}\r\n${KEY}\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  'two lengths': `${CHAT}\r\n${KEY}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  'two lengths in one': `${CHAT}\r\n${KEY}\r\nContent-Length: 2, 3\r\n\r\n{}`,
  'a length that is negative': `${CHAT}\r\n${KEY}\r\nContent-Length: -2\r\n\r\n{}`,
  'a length with a plus': `${CHAT}\r\n${KEY}\r\nContent-Length: +2\r\n\r\n{}`,
  'a length in hexadecimal': `${CHAT}\r\n${KEY}\r\nContent-Length: 0x2\r\n\r\n{}`,
  'a length of 30 digits': `${CHAT}\r\n${KEY}\r\nContent-Length: ${'9'.repeat(30)}\r\n\r\n{}`,
  'an unknown coding, last': `${CHAT}\r\n${KEY}\r\nTransfer-Encoding: chunked, nonsense\r\n\r\n0\r\n\r\n`,
  'chunked twice': `${CHAT}\r\n${KEY}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
  'a chunk size that is none': `${CHAT}\r\n${KEY}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  'a chunk longer than it said': `${CHAT}\r\n${KEY}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`,
  'lines that end in LF alone': `GET /v3/models HTTP/1.1\nHost: x\n${KEY}\n\n`,
  'one line that ends in LF alone': `GET /v3/models HTTP/1.1\r\nHost: x\nX-A: b\r\n${KEY}\r\n\r\n`,
  'a bare CR in a header': `GET /v3/models HTTP/1.1\r\nHost: x\r\nX-A: b\rX-B: c\r\n${KEY}\r\n\r\n`,
  'a space before the colon': `GET /v3/models HTTP/1.1\r\nHost : x\r\n${KEY}\r\n\r\n`,
  'a header without a colon': `GET /v3/models HTTP/1.1\r\nHost: x\r\nnonsense\r\n${KEY}\r\n\r\n`,
  'a header without a name': `GET /v3/models HTTP/1.1\r\nHost: x\r\n: nonsense\r\n${KEY}\r\n\r\n`,
  'a header folded over two lines': `GET /v3/models HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n${KEY}\r\n\r\n`,
  'a first header that is folded': `GET /v3/models HTTP/1.1\r\n Host: x\r\n${KEY}\r\n\r\n`,
  'a NUL in a header': `GET /v3/models HTTP/1.1\r\nHost: x\r\nX-A: \0\r\n${KEY}\r\n\r\n`,
  'a NUL in the key': `GET /v3/models HTTP/1.1\r\nHost: x\r\n${KEY}\0\r\n\r\n`,
  'a NUL in the target': `GET /v3/models\0 HTTP/1.1\r\nHost: x\r\n${KEY}\r\n\r\n`,
  'a space in the target': `GET /v3/ models HTTP/1.1\r\nHost: x\r\n${KEY}\r\n\r\n`,
  'an unknown method': `NONSENSE /v3/models HTTP/1.1\r\nHost: x\r\n${KEY}\r\n\r\n`,
  'a method in small letters': `get /v3/models HTTP/1.1\r\nHost: x\r\n${KEY}\r\n\r\n`,
  'an unknown version': `GET /v3/models HTTP/9.9\r\nHost: x\r\n${KEY}\r\n\r\n`,
  ...codings({
    'another coding': 'Transfer-Encoding: gzip',
    'identity as the coding': 'Transfer-Encoding: identity',
    'two codings': 'Transfer-Encoding: gzip, chunked',
    'chunked twice in one header': 'Transfer-Encoding: chunked, chunked',
    'chunked in two headers': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
    'chunked and nothing': 'Transfer-Encoding: chunked\r\nTransfer-Encoding:',
    'nothing and chunked': 'Transfer-Encoding:\r\nTransfer-Encoding: chunked',
    'a list with an empty member': 'Transfer-Encoding: ,chunked',
    'chunked with a parameter': 'Transfer-Encoding: chunked;q=1',
    'chunked in quotes': 'Transfer-Encoding: "chunked"',
    'chunked in capital letters': 'Transfer-Encoding: Chunked',
    'chunked behind a vertical tab': 'Transfer-Encoding: \x0bchunked',
    'chunked and a length, in small letters': 'transfer-encoding: chunked\r\ncontent-length: 5',
  }),
  'chunks in HTTP/1.0': `${CHAT.replace('1.1', '1.0')}\r\n${KEY}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'two hosts': `GET /v3/models HTTP/1.1\r\nHost: x\r\nHost: y\r\n${KEY}\r\n\r\n`,
  'the same host twice': `GET /v3/models HTTP/1.1\r\nHost: x\r\n${KEY}\r\nhOST: x\r\n\r\n`,
  'two hosts in HTTP/1.0': `GET /v3/models HTTP/1.0\r\nHost: x\r\nHost: y\r\n${KEY}\r\n\r\n`,
  'two hosts in one header': `GET /v3/models HTTP/1.1\r\nHost: x, y\r\n${KEY}\r\n\r\n`,
  'a host and an empty one': `GET /v3/models HTTP/1.1\r\nHost: x\r\nHost:\r\n${KEY}\r\n\r\n`,
  'a host with a path': `GET /v3/models HTTP/1.1\r\nHost: x/y\r\n${KEY}\r\n\r\n`,
  'a host with a user': `GET /v3/models HTTP/1.1\r\nHost: a@x\r\n${KEY}\r\n\r\n`,
  'a host with a blank': `GET /v3/models HTTP/1.1\r\nHost: x y\r\n${KEY}\r\n\r\n`,
  'no Host': `GET /v3/models HTTP/1.1\r\n${KEY}\r\n\r\n`,
  'a TLS greeting': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'something else entirely': 'EHLO gatehouse.test\r\n',
}

/** A chat with a chunked body. */
function codings(headers: Record<string, string>): Record<string, string> {
  const named = Object.entries(headers)
  return Object.fromEntries(named.map(([name, lines]) => [name, `${CHAT}\r\n${KEY}\r\n${lines}\r\n\r\n0\r\n\r\n`]))
}

describe('HTTP that is none', () => {
  let gateway: GatewayUnderTest
  let slow: Promise<RawReply>
  let unused: Promise<RawReply>
  before(async () => {
    gateway = await startGateway()
    slow = dripHeaders(gateway)
    unused = readReply(open(gateway.url))
  })
  after(() => gateway.close())

  for (const [name, bytes] of Object.entries(NONSENSE)) {
    test(`${name}: 400 and a closed connection, on both listeners`, async () => {
      await refuses(gateway.url, bytes)
      const bytesForAdmin = bytes.replaceAll('Host: x', 'Host: localhost')
      if (name.startsWith('a chunk ')) await hangsUp(gateway.adminUrl, bytesForAdmin)
      else await refuses(gateway.adminUrl, bytesForAdmin)
    })
  }

  test('hosts of every usual form are taken, and chunks are', async () => {
    const addresses = ['127.0.0.1:80', '[::1]', '[fe80::1]:8080']
    for (const host of ['x', 'x:80', 'a-b_c.example.org:65535', '', ...addresses]) await isTaken(gateway.url, host)
    for (const host of addresses) await isTaken(gateway.adminUrl, host)
    const chunked = `${CHAT}\r\n${KEY}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`
    assert.equal((await exchange(gateway.url, chunked)).status, 422)
  })

  test('headers that are too large are 431', async () => {
    for (const headers of [
      `X-A: ${'a'.repeat(20_000)}`,
      Array.from({ length: 2_000 }, (_, i) => `X-${i}: aaaaaaaa`).join('\r\n'),
    ]) {
      const reply = await exchangeToTheEnd(gateway.url, `GET /v3/models HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`)
      assert.equal(reply.status, 431)
      assertError(reply)
    }
    const target = await exchangeToTheEnd(gateway.url, `GET /v3/${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
    assert.equal(target.status, 431)
  })

  test('a body of 25 MB is accepted by default, and not a byte more', async () => {
    const limit = 25 * MB
    assert.equal(gateway.gateway.api.initialConfig.bodyLimit, limit)
    const reply = await exchange(gateway.url, `${CHAT}\r\n${KEY}\r\nContent-Length: ${limit + 1}\r\n\r\n`)
    assert.equal(reply.status, 413)
  })

  test('two requests in one packet get two answers, in order', async () => {
    const both = Buffer.concat([request('GET /v3/models', [KEY]), request('GET /health/live', ['Connection: close'])])
    const { text } = await exchangeToTheEnd(gateway.url, both)
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200'])
    assert.ok(text.indexOf('"object":"list"') < text.indexOf('"live"'))
  })

  test('HTTP/1.0 and Expect: 100-continue work, an unknown expectation is 417', async () => {
    const old = await exchangeToTheEnd(gateway.url, 'GET /health/live HTTP/1.0\r\n\r\n')
    assert.equal(old.status, 200)
    const body = JSON.stringify({ model: 'sandbox/echo', stream: true, messages: [{ role: 'user', content: 'Hi' }] })
    const requested = `${CHAT.replace('1.1', '1.0')}\r\n${KEY}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const streamed = await exchangeToTheEnd(gateway.url, requested)
    // HTTP/1.0 has no chunks: the body consists of the events and ends with the connection.
    assert.match(streamed.body, /^data: \{.*\}\n\n(data: \{.*\}\n\n)+data: \[DONE\]\n\n$/)
    for (const url of [gateway.url, gateway.adminUrl]) {
      const bytes = Buffer.concat([request('GET /v3/models', [KEY, 'Expect: the-moon']), Buffer.from(HIDDEN)])
      const unknown = await exchangeToTheEnd(url, bytes)
      assert.deepEqual([unknown.status, unknown.text.match(/HTTP\/1\.1 \d/g)?.length], [417, 1])
      assertError(unknown)
    }
    const socket = open(gateway.url)
    socket.write(`${CHAT}\r\n${KEY}\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`)
    const going = await readReply(socket, (text) => {
      if (text === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write('{}')
      return text.includes('Field required')
    })
    assert.match(going.text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 422 /)
  })

  test('a socket that says nothing more in the middle of its headers is cut with 408, others are not held up', async () => {
    const reply = await slow
    assert.equal(reply.status, 408)
    assert.ok(reply.closed)
    assertError(reply)
    assert.equal((await fetch(`${gateway.url}/health/live`)).status, 200)
  })

  test('a connection that was opened and never used is closed without an answer', async () => {
    const { text, closed } = await unused
    assert.deepEqual([text, closed], ['', true])
  })

  test('a request that arrives while the event loop is too busy to read it is answered, however late', async () => {
    const socket = open(gateway.url)
    await once(gateway.gateway.api.server, 'connection')
    socket.write(HIDDEN)
    blockFor(gateway.gateway.api.server.headersTimeout + LONGER_THAN_CHECKS_MS)
    assert.equal((await readReply(socket)).status, 200)
  })
})

function blockFor(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/** A request that is refused before its body is read gets only that answer, whatever the body turns out to be. */
async function hangsUp(url: string, bytes: string): Promise<void> {
  const reply = await exchangeToTheEnd(url, Buffer.from(bytes + HIDDEN, 'latin1'))
  assert.equal(reply.status, 404, reply.text)
  assert.equal(reply.text.match(/HTTP\/1\.1 \d/g)?.length, 1, 'a second answer')
}

async function isTaken(url: string, host: string): Promise<void> {
  const reply = await exchange(url, `GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  assert.notEqual(reply.status, 400, host)
}

async function refuses(url: string, bytes: string): Promise<void> {
  const reply = await exchangeToTheEnd(url, Buffer.from(bytes + HIDDEN, 'latin1'))
  assert.equal(reply.status, 400, reply.text)
  assert.equal(reply.headers.connection, 'close')
  assert.equal(reply.text.match(/HTTP\/1\.1 \d/g)?.length, 1, 'a second answer')
  assert.doesNotMatch(reply.text, /"live"|"object"/)
  assertError(reply)
}

/** The limit has its real value when the socket is opened. It is checked, and then reduced to what a test can wait for. */
function dripHeaders({ url, gateway }: GatewayUnderTest): Promise<RawReply> {
  const { server } = gateway.api
  assert.ok(server.headersTimeout === 10_000 && server.requestTimeout > 0 && server.requestTimeout <= 300_000)
  server.headersTimeout = 500
  const socket = open(url)
  socket.write('GET /v3/models HTTP/1.1\r\n')
  const dripping = setInterval(() => socket.write('X-A: b\r\n'), 100)
  return readReply(socket, () => false).finally(() => clearInterval(dripping))
}

function assertError({ body, headers }: RawReply): void {
  const { error } = JSON.parse(body)
  assert.deepEqual(Object.keys(error), ['message', 'type', 'code', 'param'])
  assert.equal(error.type, 'invalid_request_error')
  assert.match(headers['x-request-id'] ?? '', /^req_/)
}
