import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { exchange, type RawReply, request } from '../../gateway/raw-http.ts'

// The path that authorizes a request has to be the path that is served, whatever a caller writes into the target, the Host
// or any other header.

type Variant = { target: string; headers?: string[] }

const TARGETS = [
  'http://127.0.0.1/v3/models',
  'http://gatehouse.test/v3/models',
  'https://gatehouse.test/v3/models',
  'http://user:password@gatehouse.test/v3/models',
  'http://gatehouse.test/health/live/../../v3/models',
  '//v3/models',
  '///v3/models',
  '/v3//models',
  '//gatehouse.test/v3/models',
  '/V3/models',
  '/v3/MODELS',
  '/v3/models/',
  '/v3/models//',
  '/v3/models/.',
  '/v3/./models',
  '/v3/../v3/models',
  '/health/../v3/models',
  '/health/live/../../v3/models',
  '/health/live/%2e%2e/%2e%2e/v3/models',
  '/v3/%2e%2e/v3/models',
  '/v3/%2e/models',
  '/docs/..%2fv3/models',
  '/docs/%2e%2e%2fv3%2fmodels',
  '/%76%33/models',
  '/%763/%6d%6f%64%65%6c%73',
  '/v3%2fmodels',
  '/v3%2Fmodels%2F',
  '/%2fv3/models',
  '/v3%5cmodels',
  '/v3\\models',
  '/v3;x/models',
  '/v3/models;x',
  '/v3/models;/health/live',
  '/health/live;/v3/models',
  '/v3/models%00',
  '/v3/models%00/health/live',
  '/v3/models%20',
  '/v3/models%0a',
  '/v3/models%0d%0aAuthorization:%20Bearer',
  '/v3/models?/health/live',
  '/v3/models?path=/health/live',
  '/v3/models#/health/live',
  '/v3/models%23',
  '/v3/models%3fopen=1',
  '/v3/models/sandbox%2fecho',
  '/v3/models/sandbox/echo',
  '/v3/models/%252e%252e',
  '/v3/models.json',
  '/v3/models/..;/',
  '/v3/models?api_key=KEY',
  '/v3/models?key=KEY&authorization=Bearer%20KEY',
  '/%EF%BC%8Fv3/models',
  '/v3/mode%6Cs',
]

const HEADERS = [
  ['Host: gatehouse.test/health/live?'],
  ['Host: 127.0.0.1/v3/models#'],
  ['Host: '],
  ['X-Original-URL: /health/live'],
  ['X-Rewrite-URL: /health/live'],
  ['X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1', 'Forwarded: for=127.0.0.1'],
  ['X-Forwarded-Host: localhost', 'X-Forwarded-Proto: https', 'X-Forwarded-Port: 8081'],
  ['X-Forwarded-Path: /health/live', 'X-Forwarded-Prefix: /health', 'X-Forwarded-Uri: /health/live'],
  ['X-HTTP-Method-Override: OPTIONS'],
  ['X-HTTP-Method: HEAD', 'X-Method-Override: HEAD'],
  ['X-Authenticated-User: admin', 'X-Remote-User: admin', 'X-Forwarded-User: admin'],
  ['Connection: Authorization, close'],
  [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ],
  ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
  ['Accept-Version: 2'],
]

const VARIANTS: Variant[] = [
  ...TARGETS.map((target) => ({ target: target.replaceAll('KEY', API_KEY) })),
  ...HEADERS.map((headers) => ({ target: '/v3/models', headers })),
]

describe('paths and hosts in disguise', () => {
  let gateway: GatewayUnderTest
  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.close())

  test(`${VARIANTS.length} variants without a key: no model list, no success of any kind`, async () => {
    assert.ok(VARIANTS.length >= 60)
    for (const variant of VARIANTS) {
      for (const method of ['GET', 'HEAD', 'OPTIONS'])
        assertShut(await send(gateway.url, method, variant), method, variant)
    }
  })

  test('the same against the admin API', async () => {
    for (const variant of VARIANTS) {
      const target = variant.target.replaceAll('v3/models', 'admin/keys')
      assertShut(await send(gateway.adminUrl, 'GET', { ...variant, target }), 'GET', { target })
    }
  })

  test('with a key none of them breaks anything, and every refusal is a proper one', async () => {
    for (const variant of VARIANTS) {
      const headers = [...(variant.headers ?? []), `Authorization: Bearer ${API_KEY}`]
      const reply = await send(gateway.url, 'GET', { ...variant, headers })
      assert.ok([200, 400, 404].includes(reply.status), `${variant.target}: ${reply.status}`)
      if (reply.status !== 200) assertProper(reply, variant.target)
    }
  })

  test('a key in the query string is no key', async () => {
    const reply = await exchange(gateway.adminUrl, request(`GET /admin/keys?key=${ADMIN_KEY}&api_key=${ADMIN_KEY}`))
    assert.equal(reply.status, 401)
  })

  function send(url: string, method: string, { target, headers = [] }: Variant): Promise<RawReply> {
    return exchange(url, request(`${method} ${target}`, [...headers, 'Connection: close']))
  }
})

function assertShut(reply: RawReply, method: string, { target }: Variant): void {
  assert.ok([400, 401, 403, 404, 405, 426].includes(reply.status), `${method} ${target}: ${reply.status}`)
  assert.doesNotMatch(reply.body, /"object":"list"|"items"/, target)
}

/** A malformed request may be refused without a body; if there is a body, it has the usual shape. */
function assertProper(reply: RawReply, target: string): void {
  if (reply.status === 400 && reply.body.startsWith('0\r\n')) return
  const { error } = JSON.parse(reply.body)
  assert.deepEqual(Object.keys(error), ['message', 'type', 'code', 'param'], target)
  assert.ok(reply.headers['x-request-id'], target)
}
