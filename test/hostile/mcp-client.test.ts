import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import type { OfferedTool } from '../../src/endpoints/mcp/offered-tool.ts'
import { MAX_BATCH } from '../../src/translation/mcp/incoming.ts'
import { textResult } from '../../src/translation/mcp/tools.ts'
import { post, rpc } from '../e2e/mcp/raw-mcp.ts'
import { sample } from '../soak/sample.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'

// A client of the MCP server that wants to harm it: nothing that it sends is an internal error, and a good client is served meanwhile.

let gateway: GatewayUnderTest
let ran = 0

/** Counts its calls. */
const COUNTED: OfferedTool = {
  tool: { name: 'counted', inputSchema: { type: 'object' } },
  endpoints: [],
  run: async () => {
    ran += 1
    return { result: textResult('ran') }
  },
}

before(async () => {
  gateway = await startGateway({ overrides: { moreTools: [COUNTED] } })
})
after(() => gateway.close())

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

test('messages of odd forms are refused, and none is an internal error', async () => {
  const deep = (open: string, close: string) => `${open.repeat(100_000)}1${close.repeat(100_000)}`
  const call = (text: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${text}}`
  const bodies = [
    deep('[', ']'),
    deep('{"a":', '}'),
    call(deep('{"name":"counted","arguments":', '}')),
    call('{"name":{"toString":1}}'),
    call('{"name":"__proto__"}'),
    call('{"name":"counted","arguments":[]}'),
    call('{"__proto__":{"name":"counted"}}'),
    call(`{"name":"${'x'.repeat(1_000_000)}"}`),
    '{"jsonrpc":"2.0","id":1,"method":"constructor"}',
    '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
    '{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
    `{"jsonrpc":"2.0","id":"${'x'.repeat(100_000)}","method":"ping"}`,
    '"text"',
    'null',
    '',
    '\ufeff{}',
  ]
  for (const body of bodies) {
    const { status, text } = await post(gateway.url, body)
    assert.ok(status < 500, `${status} for ${body.slice(0, 60)}`)
    const { error, result } = JSON.parse(text)
    assert.ok(error || result, text.slice(0, 100))
    assert.notEqual(error?.code, -32603)
  }
  assert.equal(ran, 0, 'no tool ran')
})

test('a list of messages is bounded before any of them is answered', async () => {
  const many = JSON.stringify(
    new Array(MAX_BATCH + 1).fill({ ...PING, method: 'tools/call', params: { name: 'counted' } }),
  )
  assert.equal((await post(gateway.url, many)).status, 400)
  const huge = JSON.stringify(new Array(50_000).fill(PING))
  // Its bytes or its number of messages are too many, whichever is noticed first.
  assert.ok([400, 413].includes((await post(gateway.url, huge)).status))
  assert.equal(ran, 0)
  const nested = JSON.stringify([[PING], [[PING]]])
  const { status, text } = await post(gateway.url, nested)
  assert.equal(status, 200)
  for (const { error } of JSON.parse(text)) assert.equal(error.code, -32600)
})

test('headers that disagree with the body never reach a tool', async () => {
  const { body } = await rpc(gateway.url, 'tools/call', { name: 'counted', arguments: {} })
  assert.equal(body.result.content[0].text, 'ran')
  const before_ = ran
  const names = [
    'counted2',
    'Counted',
    ' counted',
    '=?base64?Y291bnRlZA?=',
    '=?base64?Y291bnRlZDI=?=',
    'counted,counted',
    '',
  ]
  const versions = ['2025-11-25', '2026-07-28 ', '', '2026-07-29']
  const methods = ['tools/list', 'TOOLS/CALL', 'tools/call,tools/call', '']
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'counted' }
  const odd = [
    ...names.map((name) => ({ ...headers, 'mcp-name': name })),
    ...versions.map((version) => ({ ...headers, 'mcp-protocol-version': version })),
    ...methods.map((method) => ({ ...headers, 'mcp-method': method })),
  ]
  const message = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'counted',
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })
  assert.equal((await post(gateway.url, message, headers)).status, 200)
  for (const one of odd) {
    const { status, text } = await post(gateway.url, message, one)
    // Node removes spaces around a value, as HTTP says.
    const isSame = Object.entries(one).every(([name, value]) => value.trim() === headers[name as keyof typeof headers])
    assert.equal(status, isSame ? 200 : 400, JSON.stringify(one))
    if (!isSame) assert.equal(JSON.parse(text).error.code, -32020, JSON.stringify(one))
  }
  assert.equal(
    ran - before_,
    1 + odd.filter((one) => Object.values(one).some((value) => value !== value.trim())).length,
  )
})

test('clients that never finish their bodies do not keep others from being served', async () => {
  const { port } = new URL(gateway.url)
  const sockets = Array.from({ length: sample(50, 500) }, () => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      `POST /v3/mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${API_KEY}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
    )
    return socket
  })
  await Promise.all(sockets.map((socket) => new Promise((connected) => socket.once('connect', connected))))
  assert.equal((await rpc(gateway.url, 'server/discover', {})).status, 200)
  for (const socket of sockets) socket.destroy()
})
