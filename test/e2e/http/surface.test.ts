import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { API_ROUTES } from '../../../src/http/routes/api-routes.ts'
import { ADMIN_ROUTES } from '../../../src/http/routes/admin-routes.ts'
import { silence } from '../../fakes/behaviours.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { exchange, exchangeToTheEnd, open, type RawReply, readReply, request } from '../../gateway/raw-http.ts'
import { MB } from '../../../src/base/units/units.ts'

const KEY = `Authorization: Bearer ${API_KEY}`
const JSON_TYPE = 'Content-Type: application/json'
const CHAT = 'POST /v3/chat/completions'

describe('what is there and what is not', () => {
  let gateway: GatewayUnderTest
  before(async () => {
    gateway = await startGateway({ env: { BODY_LIMIT_MB: '1' } })
  })
  after(() => gateway.close())

  test('unknown paths are 404, with and without a key', async () => {
    for (const path of [
      '/v3',
      '/v3/',
      '/v3/nothing',
      '/v3/chat',
      '/v3/chat/completions/more',
      '/v2/models',
      '/admin/keys',
      '/favicon.ico',
    ]) {
      for (const headers of [[], [KEY], ['Authorization: Bearer nonsense']]) {
        const reply = await exchange(gateway.url, request(`GET ${path}?secret=1`, headers))
        assertError(reply, 404, 'not_found')
        assert.doesNotMatch(reply.body, /secret/, 'the query string is not repeated')
      }
    }
  })

  test('a path that is no path is refused like any other mistake', async () => {
    for (const path of ['/v3/%zz', '/v3/models/%', '/v3/models/%c3%28', '/v3/models/%ff']) {
      const reply = await exchange(gateway.url, request(`GET ${path}`, [KEY]))
      assertError(reply, [400, 404], ['bad_request', 'not_found', 'model_not_found'])
    }
    const long = await exchange(
      gateway.adminUrl,
      request(`DELETE /admin/keys/${'a'.repeat(600)}`, [`Authorization: Bearer ${ADMIN_KEY}`]),
    )
    assertError(long, 404, 'not_found')
  })

  test('HEAD of a path without GET is 405 and says which methods it has', async () => {
    const tables = [
      { url: gateway.url, routes: API_ROUTES, key: API_KEY },
      { url: gateway.adminUrl, routes: ADMIN_ROUTES, key: ADMIN_KEY },
    ]
    for (const { url, routes, key } of tables)
      for (const [path, own] of Map.groupBy(routes, (route) => route.path)) {
        const methods: string[] = own.map(({ method }) => method)
        // What is off is unknown: paths.test.ts.
        if (methods.includes('GET') || own[0]!.isOn) continue
        const line = `HEAD ${path.replace(/\{\w+\}/g, 'x')}`
        const reply = await exchangeToTheEnd(url, request(line, [`Authorization: Bearer ${key}`, 'Connection: close']))
        assert.deepEqual([reply.status, reply.headers.allow], [405, methods.join(', ')], line)
      }
  })

  test('the document is served with an ETag', async () => {
    const ask = async (headers = {}) => fetch(`${gateway.url}/openapi.json`, { headers })
    const etag = (await ask()).headers.get('etag')!
    assert.equal((await ask({ 'if-none-match': etag })).status, 304)
    assert.equal((await ask({ 'if-none-match': '"another"' })).status, 200)
  })

  test('bodies that are not declared as JSON are 415', async () => {
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonx',
      'application',
      'application/json, text/plain',
      ';',
      '*/*',
    ]
    for (const type of types) assertError(await chat('{}', [`Content-Type: ${type}`]), 415, 'unsupported_media_type')
    assertError(await chat('{}', []), 415, 'unsupported_media_type')
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])
      assertError(await chat('{}', [`Content-Type: ${type}`]), 422, 'validation_error')
  })

  test('compressed bodies are 415, whatever is in them', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity'])
      assertError(
        await chat(gzipSync('{}'), [JSON_TYPE, `Content-Encoding: ${encoding}`]),
        415,
        'unsupported_media_type',
      )
    assertError(await chat('{}', [JSON_TYPE, 'Content-Encoding: identity']), 422, 'validation_error')
  })

  test('the limit is exact: at it the body is read, one byte over it is 413', async () => {
    const exact = askOf(MB)
    assert.equal(Buffer.byteLength(exact), MB)
    assert.equal((await chat(exact, [JSON_TYPE])).status, 200)
    assertError(await chat(`${exact} `, [JSON_TYPE]), 413, 'too_large')
    assertError(await chat(askOf(3 * MB), [JSON_TYPE]), 413, 'too_large')
  })

  test('a body without an announced length is cut at the same limit, while it still comes', async () => {
    const socket = open(gateway.url)
    socket.write(request(CHAT, [KEY, JSON_TYPE, 'Transfer-Encoding: chunked']))
    const reply = readReply(socket)
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 0x20), Buffer.from('\r\n')])
    for (let sent = 0; sent < 2 * MB; sent += 65_536) socket.write(chunk)
    assertError(await reply, 413, 'too_large')
  })

  test('a length that is announced and too large is refused before a byte of it is sent', async () => {
    const reply = await exchange(
      gateway.url,
      `${CHAT} HTTP/1.1\r\nHost: x\r\n${KEY}\r\n${JSON_TYPE}\r\nContent-Length: 99999999\r\n\r\n`,
    )
    assertError(reply, 413, 'too_large')
  })

  test('without a key nothing of a body is read: 401 comes before 413, 415 and 422', async () => {
    for (const headers of [[JSON_TYPE], ['Content-Type: text/plain'], [JSON_TYPE, 'Content-Encoding: gzip']]) {
      const frame = `${CHAT} HTTP/1.1\r\nHost: x\r\n${headers.join('\r\n')}\r\nContent-Length: 99999999\r\n\r\n{`
      assertError(await exchange(gateway.url, frame), 401, 'invalid_api_key')
    }
  })

  test('a DELETE that carries the type of a body but no body is still a DELETE', async () => {
    const headers = [`Authorization: Bearer ${ADMIN_KEY}`, JSON_TYPE]
    for (const more of [[], ['Content-Length: 0']])
      assertError(
        await exchange(gateway.adminUrl, request(`DELETE /admin/keys/${randomUUID()}`, [...headers, ...more])),
        404,
        'not_found',
      )
  })

  test('both listeners say that they live and are ready', async () => {
    for (const url of [gateway.url, gateway.adminUrl]) {
      for (const word of ['live', 'ready']) {
        const response = await fetch(`${url}/health/${word}`)
        assert.equal(response.status, 200)
        assert.deepEqual(await response.json(), { status: word })
      }
    }
  })

  function chat(body: string | Buffer, headers: string[]): Promise<RawReply> {
    return exchange(gateway.url, request(CHAT, [KEY, ...headers], body))
  }
})

test('a gateway at its limit answers 503 with Retry-After, and health and the operator still get through', async (t) => {
  const provider = await startFakeProvider()
  provider.always(silence())
  const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.url }
  const gateway = await startGateway({ env, overrides: { health: { maxInFlight: 2 } } })
  t.after(() => gateway.close().finally(() => provider.close()))
  const leaving = new AbortController()
  const waiting = [0, 1].map(() => ask(gateway, leaving.signal))
  await provider.request(1)
  const third = await exchange(gateway.url, request('GET /v3/models', [KEY]))
  assertError(third, 503, 'overloaded')
  assert.match(third.headers['retry-after'] ?? '', /^[1-9]\d*$/)
  for (const url of [
    `${gateway.url}/health/live`,
    `${gateway.url}/health/ready`,
    `${gateway.adminUrl}/health/live`,
    `${gateway.adminUrl}/metrics`,
  ])
    assert.equal((await fetch(url)).status, 200, url)
  leaving.abort()
  await Promise.allSettled(waiting)
  await Promise.all(provider.requests.map(({ closed }) => closed))
  assert.equal((await exchange(gateway.url, request('GET /v3/models', [KEY]))).status, 200)
})

function ask({ url }: GatewayUnderTest, signal: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'openai/x', messages: [{ role: 'user', content: 'x' }] })
  return fetch(`${url}/v3/chat/completions`, { method: 'POST', headers, body, signal })
}

/** A valid request of exactly this many bytes. */
function askOf(bytes: number): string {
  const frame = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: '' }] })
  return frame.replace('""', `"${'a'.repeat(bytes - frame.length)}"`)
}

/** Asserts the only shape of an error, and that it has a request id. */
function assertError(reply: RawReply, status: number | number[], code: string | string[]): void {
  assert.ok([status].flat().includes(reply.status), `${reply.status} ${reply.body.slice(0, 300)}`)
  assert.match(reply.headers['content-type'] ?? '', /^application\/json/)
  const { error } = JSON.parse(reply.body)
  assert.deepEqual(Object.keys(error), ['message', 'type', 'code', 'param'])
  assert.ok(typeof error.message === 'string' && error.message !== '')
  assert.ok([code].flat().includes(error.code), error.code)
  assert.match(reply.headers['x-request-id'] ?? '', /^req_/)
}
