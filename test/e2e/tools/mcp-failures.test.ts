import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type GatewayWithTools, startGatewayWithTools } from '../../gateway/gateway-with-tools.ts'
import { mcpClient } from '../mcp/mcp-client.ts'

// A server behind the gateway that cannot be used: a caller is told the name of the server, and what is wrong with it.

/** `url`: its address, if it is not that of the server of the test. */
type Failure = { fail?: (response: ServerResponse) => void; url?: string; says: RegExp }

const FAILURES: Record<string, Failure> = {
  'is down': { says: /the MCP server tickets could not be reached/ },
  'is in a private network': {
    url: 'http://10.0.0.5/mcp',
    says: /the address of the MCP server tickets may not be reached from the gateway: .* ALLOW_NETWORKS/,
  },
  'closes the connection': {
    fail: (response) => response.destroy(),
    says: /the MCP server tickets closed the connection before its answer was complete/,
  },
  'is silent': { fail: () => undefined, says: /the MCP server tickets did not answer in time/ },
  'does not know the credential': {
    fail: (response) => response.writeHead(401).end(),
    says: /the MCP server tickets refused the gateway's credential/,
  },
  'is broken': {
    fail: (response) => response.writeHead(500).end('Boom'),
    says: /the MCP server tickets (failed|answered with the status 500)/,
  },
  'quotes the credential': {
    fail: (response) =>
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', error: QUOTING })),
    says: /Not with \[redacted\]\./,
  },
  'answers something else': {
    fail: (response) => response.end('<html>'),
    says: /the MCP server tickets did not answer with a response to the request/,
  },
  'answers too much': {
    fail: (response) => response.end('a'.repeat(5_000_000)),
    says: /the answer of the MCP server tickets is too large/,
  },
  redirects: {
    fail: (response) => response.writeHead(307, { location: '/elsewhere' }).end(),
    says: /the MCP server tickets redirects/,
  },
}

/** As a server of the newest revision refuses a request. */
const QUOTING = { code: -32020, message: 'Not with secret-of-the-operator.', data: { sent: 'secret-of-the-operator' } }

for (const [what, { fail, url: elsewhere, says }] of Object.entries(FAILURES))
  describe(`an MCP server that ${what}`, () => {
    let server: Server
    let setup: GatewayWithTools
    /** Whether only calls of its tools fail. */
    let lists = false
    before(async () => {
      server = createServer(async (request, response) => {
        const { id, method } = (await json(request)) as Asked
        if (!lists || method === 'tools/call') return fail?.(response)
        const result = method === 'tools/list' ? { tools: [TOOL] } : { supportedVersions: ['2026-07-28'] }
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const url = elsewhere ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
      if (!fail) await close(server)
      // Only a silent server is waited for.
      setup = await startGatewayWithTools({ tickets: { url, timeoutSeconds: what === 'is silent' ? 1 : 60 } })
    })
    after(async () => {
      if (fail) await close(server)
      await setup.close()
    })

    for (const era of ['modern', 'legacy'] as const)
      test(`is named to a client of the protocol that wants its tools: ${era}`, async () => {
        const client = await mcpClient(setup.gateway.url, era, { path: '/v3/mcp/tickets' })
        const isOfProtocol = (error: { code?: unknown; message: string }) => error.code === -32603
        await assert.rejects(client.listTools(), (error: Error) => isOfProtocol(error) && says.test(error.message))
        await client.close()
      })

    test('is named to a client of chat completions', async () => {
      const { status, error } = await ask({ tools: [{ type: 'mcp', server_label: 'tickets' }] })
      assert.equal(status, 502)
      assert.match(error.message, says)
      assert.doesNotMatch(error.message, /provider/)
    })

    if (fail)
      test('is named to a model that calls a tool', async () => {
        lists = true
        const client = await mcpClient(setup.gateway.url, 'modern', { path: '/v3/mcp/tickets' })
        const { content, isError } = await client.callTool({ name: 'count', arguments: {} })
        assert.equal(isError, true)
        const said = JSON.stringify(content)
        assert.match(said, says)
        assert.doesNotMatch(said, /provider/)
        await client.close()
      })

    async function ask(more: object): Promise<{ status: number; error: { message: string } }> {
      const messages = [{ role: 'user', content: 'How many?' }]
      const reply = await fetch(`${setup.gateway.url}/v3/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'fake/priced', messages, ...more }),
      })
      return { status: reply.status, ...((await reply.json()) as { error: { message: string } }) }
    }
  })

type Asked = { id?: number; method: string }

const TOOL = { name: 'count', inputSchema: { type: 'object' } }

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
