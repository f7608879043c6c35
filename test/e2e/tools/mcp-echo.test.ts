import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { secretForms } from '../../../src/base/redaction/secret-forms.ts'
import { toolCaller } from '../../fakes/tool-caller.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type GatewayWithTools, startGatewayWithTools } from '../../gateway/gateway-with-tools.ts'
import { mcpClient } from '../mcp/mcp-client.ts'

// A server behind the gateway that shows in everything that it says which headers it got.

const PASSWORD = 'secret+of/the operator'
const BASIC = Buffer.from(`robot:${PASSWORD}`).toString('base64')
const WAYS: Record<string, { entry: object; secret: string; parts: string[] }> = {
  'a bearer token': { entry: {}, secret: PASSWORD, parts: [PASSWORD] },
  'a header of its own': { entry: { header: 'x-tickets-key' }, secret: PASSWORD, parts: [PASSWORD] },
  'a user and a password': {
    entry: { header: 'authorization' },
    secret: `Basic ${BASIC}`,
    parts: [BASIC, PASSWORD],
  },
}
const CALL = toolCaller([{ calls: [['tickets__show', {}]] }, { text: 'Done.' }])
const TOOLS = [{ type: 'mcp', server_label: 'tickets', require_approval: 'never' }]
const MESSAGES = [{ role: 'user', content: 'Show it.' }]

for (const [what, { entry, secret, parts }] of Object.entries(WAYS))
  describe(`an MCP server that shows its requests, and is asked with ${what}`, () => {
    let server: Server
    let setup: GatewayWithTools
    before(async () => {
      server = createServer(async (request, response) => {
        const { id, method, params } = (await json(request)) as Asked
        const said = shown(request.headers, parts)
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answerTo(method, params?.name, said) }))
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
      setup = await startGatewayWithTools({ tickets: { url, ...entry }, env: { TICKETS_KEY: secret } })
      const kept = await adminClient(setup.gateway.adminUrl).patch('/admin/projects/default', {
        content: { mode: 'full' },
      })
      assert.equal(kept.status, 200)
    })
    beforeEach(() => {
      setup.model.reset()
      setup.model.always(CALL)
    })
    after(async () => {
      server.closeAllConnections()
      server.close()
      await setup.close()
    })

    for (const era of ['modern', 'legacy'] as const)
      test(`shows a client of the protocol no credential: ${era}`, async () => {
        const client = await mcpClient(setup.gateway.url, era, { path: '/v3/mcp/tickets' })
        assertHidden(JSON.stringify(await client.listTools()))
        const result = await client.callTool({ name: 'show', arguments: {} })
        assert.equal((result.content as unknown[]).length, 3)
        assertHidden(JSON.stringify(result))
        const refused = await client.callTool({ name: 'refuse', arguments: {} })
        assertHidden(JSON.stringify(refused))
        await client.close()
      })

    for (const [path, body] of [
      ['chat/completions', { messages: MESSAGES }],
      ['responses', { input: 'Show it.' }],
      ['v1/messages', { messages: MESSAGES, max_tokens: 100 }],
    ] as const)
      for (const stream of [false, true])
        test(`shows neither the model nor the caller a credential: ${path}, stream: ${stream}`, async () => {
          const { text, id } = await ask(path, { ...body, stream })
          assert.doesNotMatch(text, leaked())
          assert.equal(setup.model.requests.length, 2)
          assertHidden(JSON.stringify(setup.model.requests.map((request) => request.body)))
          assertHidden(await keptOf(id))
          assert.doesNotMatch(setup.gateway.logs(), leaked())
        })

    test('shows no credential to operators who look at its tools, and to people who choose one', async () => {
      const { text } = await adminClient(setup.gateway.adminUrl).get('/admin/mcp/servers/tickets/tools')
      assertHidden(text)
      const offered = await adminClient(setup.gateway.adminUrl).get('/admin/playground/mcp?project=default')
      assertHidden(offered.text)
    })

    async function ask(path: string, body: object): Promise<{ text: string; id: string }> {
      const reply = await fetch(`${setup.gateway.url}/v3/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'fake/priced', tools: TOOLS, ...body }),
      })
      const text = await reply.text()
      assert.equal(reply.status, 200, text)
      return { text, id: reply.headers.get('x-request-id')! }
    }

    async function keptOf(id: string): Promise<string> {
      for (;;) {
        const kept = await adminClient(setup.gateway.adminUrl).get(`/admin/requests/${id}/content`)
        if (kept.status !== 404) return kept.text
        await sleep(50)
      }
    }

    /** It was said, and it is not readable. */
    function assertHidden(text: string): void {
      assert.match(text, /\[redacted\]/)
      assert.doesNotMatch(text, leaked())
    }

    function leaked(): RegExp {
      const forms = parts.flatMap((part) => [...secretForms(part), ...secretForms(part).map(asJson)])
      return new RegExp([...new Set(forms)].map((form) => form.replace(/[^A-Za-z0-9]/g, '\\$&')).join('|'))
    }
  })

function asJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** The headers, and the credential as programs write such things. */
function shown(headers: IncomingHttpHeaders, parts: readonly string[]): string {
  return [JSON.stringify(headers), ...parts.flatMap(secretForms)].join(' | ')
}

type Asked = { id?: number; method: string; params?: { name?: string } }

function answerTo(method: string, tool: string | undefined, said: string): object {
  if (method === 'server/discover') return { result: { supportedVersions: ['2026-07-28'] } }
  if (method === 'tools/list') return { result: { tools: ['show', 'refuse'].map((name) => toolThatSays(name, said)) } }
  return tool === 'refuse'
    ? { error: { code: -32000, message: said, data: { sent: said } } }
    : { result: resultThatSays(said) }
}

function toolThatSays(name: string, said: string): object {
  const word = { type: 'string', description: said, default: said }
  return {
    name,
    title: said,
    description: said,
    inputSchema: { type: 'object', properties: { word, [said]: word } },
    annotations: { title: said },
  }
}

function resultThatSays(said: string): object {
  const content = [
    { type: 'text', text: said },
    { type: 'resource_link', uri: `https://tickets.test/?sent=${said}`, name: said, description: said },
    { type: 'resource', resource: { uri: 'https://tickets.test/1', text: said } },
  ]
  return { content, structuredContent: { sent: said, [said]: true }, _meta: { sent: said } }
}
