import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startMcpServer } from '../../fakes/mcp-server.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { ADMIN_KEY, API_KEY } from '../../gateway/gateway-under-test.ts'
import { idle } from '../../gateway/gateway-with-fakes.ts'
import { type GatewayWithTools, startGatewayWithTools } from '../../gateway/gateway-with-tools.ts'
import { mcpClient } from '../mcp/mcp-client.ts'

// Servers behind the gateway, as the official client of the protocol sees them.

const PATH = { path: '/v3/mcp/tickets' }

for (const [server, client] of [
  ['modern', 'legacy'],
  ['sessions', 'modern'],
] as const)
  describe(`a server that speaks "${server}", for a client that speaks "${client}"`, () => {
    let setup: GatewayWithTools
    before(async () => {
      setup = await startGatewayWithTools({ era: server, tickets: { tools: { deny: ['slow', 'fail'] } } })
    })
    after(() => setup.close())

    test('has the tools that the operator allows, and no others can be called', async () => {
      const connected = await mcpClient(setup.gateway.url, client, PATH)
      const { tools } = await connected.listTools()
      assert.deepEqual(tools.map(({ name }) => name).sort(), ['count', 'find'])
      const found = await connected.callTool({ name: 'find', arguments: { word: 'gates' } })
      assert.deepEqual(found.content, [{ type: 'text', text: 'Ticket 7 is about gates.' }])
      await assert.rejects(connected.callTool({ name: 'fail', arguments: {} }), /Unknown tool/)
      await connected.close()
      assert.deepEqual(setup.server.calls(), ['find({"word":"gates"})'])
      assert.ok(!JSON.stringify(setup.server.seen).includes(API_KEY))
    })

    test('books each call', async () => {
      const connected = await mcpClient(setup.gateway.url, client, PATH)
      await connected.callTool({ name: 'count', arguments: {} })
      await connected.close()
      await idle(setup.gateway)
      const reply = await fetch(`${setup.gateway.adminUrl}/admin/requests?limit=1`, {
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
      })
      const { items } = (await reply.json()) as { items: Record<string, unknown>[] }
      const { model, endpoint, cost, status } = items[0]!
      assert.deepEqual([model, endpoint, cost, status], ['mcp/tickets/count', 'mcp', 0.01, 200])
    })
  })

describe('a key of the sandbox', () => {
  test('calls no server, and pays nothing', async () => {
    const setup = await startGatewayWithTools()
    const made = await fetch(`${setup.gateway.adminUrl}/admin/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'try', kind: 'sandbox' }),
    })
    const { key } = (await made.json()) as { key: string }
    const client = await mcpClient(setup.gateway.url, 'modern', { ...PATH, key })
    const { content } = await client.callTool({ name: 'count', arguments: {} })
    assert.match(JSON.stringify(content), /Simulated/)
    await client.close()
    assert.deepEqual(setup.server.calls(), [])
    await setup.close()
  })
})

describe('a server that another project may use', () => {
  test('is unknown here, and nothing is asked of it', async () => {
    const setup = await startGatewayWithTools({ tickets: { appliesTo: ['project:others'] } })
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const reply = await fetch(`${setup.gateway.url}/v3/mcp/tickets`, {
      method: 'POST',
      headers,
      body: JSON.stringify(list),
    })
    assert.equal(reply.status, 404)
    const chat = {
      model: 'fake/priced',
      messages: [{ role: 'user', content: 'x' }],
      tools: [{ type: 'mcp', server_label: 'tickets' }],
    }
    const asked = await fetch(`${setup.gateway.url}/v3/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(chat),
    })
    assert.equal(asked.status, 422)
    assert.equal(setup.server.seen.length, 0)
    await setup.close()
  })
})

describe('the arguments and the result of a call', () => {
  test('are in the request log if the project keeps contents, and not otherwise', async () => {
    const setup = await startGatewayWithTools()
    const admin = adminClient(setup.gateway.adminUrl)
    const params = { name: 'find', arguments: { word: 'gates' } }
    const call = async () => {
      const reply = await fetch(`${setup.gateway.url}/v3/mcp/tickets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
      assert.match(await reply.text(), /Ticket 7 is about gates/)
      return `/admin/requests/${reply.headers.get('x-request-id')}/content`
    }
    const before = await call()
    assert.equal((await admin.patch('/admin/projects/default', { content: { mode: 'full' } })).status, 200)
    const kept = await call()
    while ((await admin.get(kept)).status === 404) await sleep(50)
    const { body } = await admin.get<{ request: unknown; answer: unknown }>(kept)
    assert.match(JSON.stringify(body.request), /"arguments":\{"word":"gates"\}/)
    assert.match(JSON.stringify(body.answer), /Ticket 7 is about gates\./)
    assert.equal((await admin.get(before)).status, 404)
    await setup.close()
  })

  test('are kept as guardrails have left them', async () => {
    const guardrail = (action: string, word: string) => {
      return { id: action, appliesTo: 'all', action, checks: [{ check: 'patterns', words: [word] }] }
    }
    const guardrails = [guardrail('redact', 'falcon'), guardrail('block', 'vulture')]
    const setup = await startGatewayWithTools({ config: { guardrails } })
    const admin = adminClient(setup.gateway.adminUrl)
    assert.equal((await admin.patch('/admin/projects/default', { content: { mode: 'full' } })).status, 200)
    const kept = async (word: string) => {
      const params = { name: 'find', arguments: { word } }
      const reply = await fetch(`${setup.gateway.url}/v3/mcp/tickets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
      await reply.text()
      const path = `/admin/requests/${reply.headers.get('x-request-id')}/content`
      while ((await admin.get(path)).status === 404) await sleep(50)
      return JSON.stringify((await admin.get<{ request: unknown }>(path)).body.request)
    }
    assert.match(await kept('falcon'), /"arguments":\{"word":"\[REDACTED_1\]"\}/)
    assert.match(await kept('vulture'), /withheld/)
    assert.match(await kept('sparrow'), /"arguments":\{"word":"sparrow"\}/)
    await setup.close()
  })
})

describe('two servers at one address, each with a credential of its own', () => {
  test('share no session', async () => {
    const server = await startMcpServer('sessions')
    const named = (credentialEnv: string) => ({ url: server.url, credentialEnv })
    const setup = await startGatewayWithTools({
      config: { mcp: { servers: { one: named('ONE_KEY'), two: named('TWO_KEY') } } },
      env: { ONE_KEY: 'secret-of-the-first', TWO_KEY: 'secret-of-the-second' },
    })
    for (const name of ['one', 'two', 'one']) {
      const client = await mcpClient(setup.gateway.url, 'modern', { path: `/v3/mcp/${name}` })
      await client.callTool({ name: 'count', arguments: {} })
      await client.close()
    }
    const called = server.seen.filter(({ method }) => method === 'tools/call').map(({ headers }) => headers)
    assert.deepEqual(
      called.map(({ authorization }) => authorization),
      ['Bearer secret-of-the-first', 'Bearer secret-of-the-second', 'Bearer secret-of-the-first'],
    )
    const [first, second, third] = called.map((headers) => headers['mcp-session-id'])
    assert.notEqual(first, second)
    assert.equal(first, third)
    await setup.close()
    await server.close()
  })
})
