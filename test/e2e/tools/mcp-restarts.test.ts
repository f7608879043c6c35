import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { startMcpServer } from '../../fakes/mcp-server.ts'
import { type GatewayWithTools, startGatewayWithTools } from '../../gateway/gateway-with-tools.ts'
import { mcpClient } from '../mcp/mcp-client.ts'

// Servers that are other servers than a moment ago, and servers that want arguments in headers.

type Message = { id?: number; method: string; params?: Record<string, unknown> }
type Reply = { status?: number; body?: object; session?: string }
type Speaks = (message: Message, session: string | undefined) => Reply

const TOOL = { name: 'count', inputSchema: { type: 'object' } }

/** A server of 2025 with sessions. It has forgotten the session after `restart`, and says so with this status. */
function withSessions(status: number): { speaks: Speaks; restart(): void } {
  let current = 0
  const known = new Set<string>()
  const speaks: Speaks = ({ id, method }, session) => {
    if (method === 'initialize') {
      const name = `session-${++current}`
      known.add(name)
      return {
        session: name,
        body: { id, result: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: {} } },
      }
    }
    if (!known.has(session ?? ''))
      return { status, body: { id: null, error: { code: -32000, message: 'No valid session' } } }
    return answered(id, method)
  }
  return { speaks, restart: () => known.clear() }
}

/** A server of 2025 without sessions. */
const withoutSessions: Speaks = ({ id, method }) => {
  if (method === 'server/discover') return { status: 400, body: { id, error: { code: -32600, message: 'What?' } } }
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: {} }
  return method === 'initialize' ? { body: { id, result: hello } } : answered(id, method)
}

/** One that knows of newer revisions and speaks none of them. */
const noModern: Speaks = (message, session) => {
  const data = { supported: ['2025-06-18'], requested: '2026-07-28' }
  const error = { code: -32022, message: 'Unsupported protocol version', data }
  const isNew = message.params?._meta !== undefined
  return isNew ? { status: 400, body: { id: message.id, error } } : withoutSessions(message, session)
}

const modern: Speaks = ({ id, method, params }) => {
  const version = (params?._meta as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/protocolVersion']
  if (version !== '2026-07-28') return { status: 400, body: { id, error: { code: -32022, message: 'Too old' } } }
  const discovered = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
  return method === 'server/discover' ? { body: { id, result: discovered } } : answered(id, method)
}

function answered(id: number | undefined, method: string): Reply {
  if (id === undefined) return { status: 202 }
  const result = method === 'tools/list' ? { tools: [TOOL] } : { content: [{ type: 'text', text: '42' }] }
  return { body: { id, result: { resultType: 'complete', ...result } } }
}

describe('an MCP server that is started anew', () => {
  let speaks: Speaks = withoutSessions
  let setup: GatewayWithTools
  const server = createServer(async (request: IncomingMessage, response) => {
    const session = request.headers['mcp-session-id'] as string | undefined
    const { status = 200, body, session: begun } = speaks((await json(request)) as Message, session)
    response.writeHead(status, { 'content-type': 'application/json', ...(begun && { 'mcp-session-id': begun }) })
    response.end(body && JSON.stringify({ jsonrpc: '2.0', ...body }))
  })
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    setup = await startGatewayWithTools({
      tickets: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` },
    })
  })
  after(async () => {
    await setup.close()
    await new Promise((resolve) => server.close(resolve))
  })

  for (const status of [400, 404])
    test(`and has forgotten its sessions, which it says with ${status}, is asked again in a new one`, async () => {
      const server = withSessions(status)
      speaks = server.speaks
      await counted().catch(() => undefined)
      assert.equal(await counted(), '42')
      server.restart()
      assert.equal(await counted(), '42')
    })

  test('and speaks differently answers the second call at the latest', async () => {
    for (const next of [
      withoutSessions,
      modern,
      noModern,
      withSessions(400).speaks,
      modern,
      withoutSessions,
      withSessions(404).speaks,
    ]) {
      speaks = next
      await counted().catch(() => undefined)
      assert.equal(await counted(), '42')
    }
  })

  async function counted(): Promise<string> {
    const client = await mcpClient(setup.gateway.url, 'modern', { path: '/v3/mcp/tickets' })
    try {
      const { content } = await client.callTool({ name: 'count', arguments: {} })
      return (content as { text: string }[])[0]!.text
    } finally {
      await client.close()
    }
  }
})

test('a server that wants arguments in headers gets them, and clients of the gateway are not told to send any', async () => {
  const schema = {
    type: 'object',
    properties: { word: { type: 'string', 'x-mcp-header': 'Word' }, other: { type: 'string' } },
    required: ['word'],
  }
  const wrong = { type: 'object', properties: { list: { type: 'array', 'x-mcp-header': 'List' } } }
  const run = ({ word }: Record<string, unknown>) => `About ${word}.`
  const server = await startMcpServer('modern', {
    look: { description: 'Looks.', schema, run },
    odd: { description: 'Is odd.', schema: wrong, run },
  })
  const setup = await startGatewayWithTools({ tickets: { url: server.url } })
  const client = await mcpClient(setup.gateway.url, 'modern', { path: '/v3/mcp/tickets' })
  const { tools } = await client.listTools()
  assert.deepEqual(tools.map(({ name }) => name).sort(), ['look', 'slow'])
  assert.doesNotMatch(JSON.stringify(tools), /x-mcp-header|mirrored/)
  const { content } = await client.callTool({ name: 'look', arguments: { word: 'Zürich' } })
  assert.deepEqual(content, [{ type: 'text', text: 'About Zürich.' }])
  const { headers } = server.seen.find(({ method }) => method === 'tools/call')!
  assert.equal(headers['mcp-param-word'], '=?base64?WsO8cmljaA==?=')
  await client.close()
  await Promise.all([setup.close(), server.close()])
})
