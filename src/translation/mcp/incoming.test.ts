import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERROR_CODES, McpProblem } from './errors.ts'
import { callHeaders } from './headers.ts'
import { MAX_BATCH, readIncoming } from './incoming.ts'
import { META, requestMeta } from './meta.ts'
import { requestMessage } from './messages.ts'
import { LEGACY_VERSIONS, MODERN_VERSION } from './versions.ts'

const CLIENT = { name: 'test', version: '1' }

test('a request of the newest revision is read with what it says about the client', () => {
  const { headers, body } = modern('tools/call', { name: 'chat', arguments: {} })
  const incoming = readIncoming(headers, body)
  assert.equal(incoming.version, MODERN_VERSION)
  assert.ok('meta' in incoming)
  assert.deepEqual(incoming.meta, { protocolVersion: MODERN_VERSION, clientInfo: CLIENT, clientCapabilities: {} })
})

test('every header of the newest revision has to be there and to say what the body says', () => {
  const { headers, body } = modern('tools/call', { name: 'chat' })
  for (const name of Object.keys(headers)) {
    const { [name]: _, ...without } = headers
    assert.equal(codeOf(without, body), ERROR_CODES.headerMismatch, `without ${name}`)
    for (const wrong of ['other', '', `${headers[name]} `, `${headers[name]}\u00e9`])
      assert.equal(codeOf({ ...headers, [name]: wrong }, body), ERROR_CODES.headerMismatch, `${name}: ${wrong}`)
    assert.equal(codeOf({ ...headers, [name]: [headers[name]!, 'x'] }, body), ERROR_CODES.headerMismatch)
  }
  const list = modern('tools/list')
  assert.equal(codeOf({ ...list.headers, 'mcp-name': 'chat' }, list.body), ERROR_CODES.headerMismatch)
})

test('a request without what every request has to say is malformed', () => {
  for (const missing of [META.protocolVersion, META.clientCapabilities]) {
    const { headers, body } = modern('tools/list')
    delete body.params._meta[missing]
    assert.equal(codeOf(headers, body), ERROR_CODES.invalidParams, missing)
  }
})

test('a version that is not spoken is refused with those that are', () => {
  const { headers, body } = modern('server/discover', {}, '1900-01-01')
  const { error, status } = problemOf(headers, body)
  assert.equal(status, 400)
  assert.deepEqual(error.data, { requested: '1900-01-01', supported: [MODERN_VERSION, ...LEGACY_VERSIONS] })
  assert.equal(codeOf({ 'mcp-protocol-version': '2024-11-05' }, requestMessage(1, 'tools/list')), -32022)
})

test('an earlier revision is named by a header, or is the one before that header', () => {
  const list = requestMessage(1, 'tools/list')
  assert.equal(readIncoming({}, list).version, '2025-03-26')
  for (const version of LEGACY_VERSIONS)
    assert.equal(readIncoming({ 'mcp-protocol-version': version }, list).version, version)
  const initialize = requestMessage(1, 'initialize', { protocolVersion: '2025-11-25' })
  for (const header of [undefined, '2024-11-05', MODERN_VERSION])
    assert.equal(readIncoming({ 'mcp-protocol-version': header }, initialize).version, '2025-03-26')
})

test('several messages in one body are those of one revision, and bounded', () => {
  const ping = requestMessage(1, 'ping')
  const several = readIncoming({}, [ping, ping])
  assert.ok('batch' in several && several.batch.length === 2)
  for (const version of ['2025-06-18', '2025-11-25', MODERN_VERSION])
    assert.equal(codeOf({ 'mcp-protocol-version': version }, [ping]), ERROR_CODES.invalidRequest, version)
  assert.equal(codeOf({}, []), ERROR_CODES.invalidRequest)
  assert.equal(codeOf({}, new Array(MAX_BATCH + 1).fill(ping)), ERROR_CODES.invalidRequest)
})

test('what is no message is refused', () => {
  const wrong = [
    ...[null, 1, 'x', {}, { jsonrpc: '1.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', id: 1 }],
    ...[null, {}, 1.5, 'x'.repeat(257), []].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })),
    ...['', 1, 'x'.repeat(129)].map((method) => ({ jsonrpc: '2.0', id: 1, method })),
    { jsonrpc: '2.0', id: 1, method: 'ping', params: [] },
    { jsonrpc: '2.0', id: 1, result: 1 },
    { jsonrpc: '2.0', result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: 'x' } },
  ]
  for (const body of wrong) assert.equal(codeOf({}, body), ERROR_CODES.invalidRequest, JSON.stringify(body))
})

function modern(method: string, params: object = {}, version: string = MODERN_VERSION) {
  const _meta = requestMeta(version, CLIENT, {})
  const message = requestMessage(1, method, { ...params, _meta })
  const body = { ...message, params: { ...params, _meta } }
  return { headers: callHeaders(version, { method, params: { ...params, _meta } }), body }
}

function problemOf(headers: Parameters<typeof readIncoming>[0], body: unknown): McpProblem {
  try {
    readIncoming(headers, body)
  } catch (error) {
    assert.ok(error instanceof McpProblem)
    return error
  }
  assert.fail('The message should have been refused.')
}

function codeOf(headers: Parameters<typeof readIncoming>[0], body: unknown): number {
  return problemOf(headers, body).error.code
}
