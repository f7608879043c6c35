import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey } from '../../../src/tenants/access/api-keys.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import { exchange, exchangeToTheEnd, request } from '../../gateway/raw-http.ts'

// What the log says about requests that did not get what they wanted.

const POLL_MS = 20
const SECRET = 'zebra-secret-zebra'
const KEY = createKey('live')
const gateway = await startGateway()
after(() => gateway.close())

type Line = Record<string, unknown> & { request_id?: string }

const REFUSED: [title: string, bytes: Buffer, expected: Line][] = [
  [
    'an unknown path',
    request(`GET /v3/nothing?key=${SECRET}&x=1`, [`Authorization: Bearer ${SECRET}`]),
    { endpoint: 'unknown', method: 'GET', path: '/v3/nothing?***', status: 404, code: 'not_found' },
  ],
  [
    'an address with a password',
    request(`GET http://user:${SECRET}@gatehouse.localhost/v3/nothing`),
    { endpoint: 'unknown', method: 'GET', path: 'http://***@gatehouse.localhost/v3/nothing', status: 404 },
  ],
  [
    'a key in the path',
    request(`DELETE /v3/${KEY}/chat`),
    { endpoint: 'unknown', method: 'DELETE', path: '/v3/***/chat', status: 404 },
  ],
  [
    'an unknown method',
    request('PURGE /v3/models', [`Authorization: Bearer ${API_KEY}`]),
    { endpoint: 'unknown', method: 'PURGE', path: '/v3/models', status: 405, code: 'method_not_allowed' },
  ],
  [
    'another method',
    request('PUT /v3/models', [`Authorization: Bearer ${API_KEY}`]),
    { method: 'PUT', path: '/v3/models', status: 405, code: 'method_not_allowed', key_id: 'env-live' },
  ],
  [
    'no valid key',
    request('GET /v3/models?limit=1', [`Authorization: Bearer ${SECRET}`]),
    { endpoint: 'GET /v3/models', method: 'GET', path: '/v3/models?***', status: 401, code: 'invalid_api_key' },
  ],
  [
    'a body that is not valid',
    request('POST /v3/chat/completions', authorizedJson(), `{"model":5,"user":"${SECRET}"}`),
    { endpoint: 'POST /v3/chat/completions', path: '/v3/chat/completions', status: 422, code: 'validation_error' },
  ],
  [
    'two hosts',
    request('GET /v3/models', ['Host: a', 'Host: b']),
    { endpoint: 'unknown', method: 'GET', path: '/v3/models', status: 400, code: 'bad_request' },
  ],
  ['a tunnel', request(`CONNECT user:${SECRET}@host:443`), { method: 'CONNECT', path: '***@host:443', status: 404 }],
  [
    'no HTTP at all',
    Buffer.from(`${SECRET}\r\n\r\n`),
    { status: 400, code: 'HPE_INVALID_METHOD', client: '127.0.0.1' },
  ],
]

for (const [title, bytes, expected] of REFUSED)
  test(`${title} is logged with what was requested, and without a secret`, async () => {
    const before = gateway.logs().length
    await exchangeToTheEnd(gateway.url, closing(bytes))
    const line = await nextLine(before)
    for (const [name, value] of Object.entries(expected))
      assert.equal(line[name], value, `${name}: ${JSON.stringify(line)}`)
    assert.ok(!gateway.logs().includes(SECRET) && !gateway.logs().includes(KEY))
  })

test('a request that succeeds says nothing about its client; another model that answered is named beside the requested one', async () => {
  const before = gateway.logs().length
  const messages = [{ role: 'user', content: SECRET }]
  const body = JSON.stringify({ model: 'sandbox/fail-500', fallbacks: ['sandbox/echo'], messages })
  const { status } = await exchange(gateway.url, request('POST /v3/chat/completions?a=b', authorizedJson(), body))
  const { requested_model, model, client, path, ...line } = await nextLine(before)
  assert.deepEqual([status, line.status, requested_model, model], [200, 200, 'sandbox/fail-500', 'sandbox/echo'])
  assert.deepEqual([client, path], [undefined, undefined])
  assert.ok(!gateway.logs().includes(SECRET))
})

function authorizedJson(): string[] {
  return [`Authorization: Bearer ${API_KEY}`, 'Content-Type: application/json']
}

/** The same request on a connection that ends with it. */
function closing(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace('\r\n', '\r\nConnection: close\r\n'), 'latin1')
}

/** A line is written when the answer is closed, which may be after it has arrived. */
async function nextLine(before: number): Promise<Line> {
  for (;;) {
    const lines = gateway.logs().slice(before).split('\n').filter(Boolean)
    const found = lines.map((line) => JSON.parse(line) as Line).find(({ status }) => status !== undefined)
    if (found) return found
    await sleep(POLL_MS)
  }
}
