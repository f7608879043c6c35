import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { OfferedMcpServers } from '../../../src/contract/admin/mcp-servers.ts'
import type { GatewayCall, ProviderContent } from '../../../src/contract/provider-content.ts'
import { freePort } from '../../../src/platform/net/free-port.ts'
import { toolCaller } from '../../fakes/tool-caller.ts'
import { ADMIN_KEY } from '../../gateway/gateway-under-test.ts'
import { type GatewayWithTools, startGatewayWithTools } from '../../gateway/gateway-with-tools.ts'
import { type Client, clientOf, firstOwner, invited } from '../../gateway/people-under-test.ts'

// MCP servers in chats of the playground: which a person may name, and what the answer says about the calls.

const SERVERS = '/admin/playground/mcp'
const CHAT = '/admin/playground/chat/completions'
const GONE = `http://127.0.0.1:${await freePort('127.0.0.1', 0)}/mcp`
const messages = [{ role: 'user', content: 'Which tickets?' }]

describe('MCP servers of the playground', () => {
  let setup: GatewayWithTools
  let owner: Client
  let member: Client & { id: string }
  before(async () => {
    setup = await startGatewayWithTools()
    owner = await firstOwner(setup.gateway)
    for (const id of ['research', 'other', 'silent']) await owner('POST', '/admin/projects', { id, name: id })
    await owner('PATCH', '/admin/projects/silent', { policy: { endpoints: ['models'] } })
    member = await invited(owner, setup.gateway, { email: 'm@example.com', role: 'member', project: 'research' })
    const credential = 'a-secret-of-the-operator'
    const { url } = setup.server
    for (const server of [
      { name: 'of-research', url, credential, tools: { allow: ['count'] }, applies_to: ['project:research'] },
      { name: 'of-other', url, credential, applies_to: ['project:other'] },
      { name: 'of-member', url: GONE, credential, applies_to: [`user:${member.id}`] },
    ])
      assert.equal((await owner('POST', '/admin/mcp/servers', server)).status, 201)
  })
  after(() => setup.close())

  test('are those that the person may use in the project, by their names and tools alone', async () => {
    const { status, body } = await member('GET', `${SERVERS}?project=research`)
    assert.equal(status, 200)
    const { items } = body as OfferedMcpServers
    assert.deepEqual(toolsOf(items), {
      tickets: ['count', 'fail', 'find', 'slow'],
      'of-research': ['count'],
      'of-member': null,
    })
    assert.deepEqual(
      items.find((server) => server.name === 'of-research'),
      { name: 'of-research', tools: [{ name: 'count', description: 'Counts tickets.' }], problem: null },
    )
    assert.match(items.find((server) => server.name === 'of-member')!.problem!, /could not be reached/)
    assert.doesNotMatch(JSON.stringify(body), /127\.0\.0\.1|secret/)
  })

  test('depend on the project and the person', async () => {
    const inOther = (await owner('GET', `${SERVERS}?project=other`)).body as OfferedMcpServers
    assert.deepEqual(Object.keys(toolsOf(inOther.items)).sort(), ['of-other', 'tickets'])
    const inResearch = (await owner('GET', `${SERVERS}?project=research`)).body as OfferedMcpServers
    assert.deepEqual(Object.keys(toolsOf(inResearch.items)).sort(), ['of-research', 'tickets'])
  })

  test('are refused to those who may not chat there', async () => {
    const auditor = await invited(owner, setup.gateway, { email: 'a@example.com', role: 'auditor' })
    const statuses = await Promise.all([
      member('GET', `${SERVERS}?project=other`),
      auditor('GET', `${SERVERS}?project=research`),
      owner('GET', `${SERVERS}?project=silent`),
      clientOf(setup.gateway)('GET', SERVERS),
    ])
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [403, 403, 403, 401],
    )
  })

  test('cannot be named by those who do not see them', async () => {
    const tools = [{ type: 'mcp', server_label: 'of-other' }]
    const { status, body } = await member('POST', `${CHAT}?project=research`, { model: 'fake/priced', messages, tools })
    assert.deepEqual([status, setup.server.calls()], [422, []])
    assert.match(body.error.message, /no MCP server "of-other"/)
  })

  for (const stream of [false, true])
    test(`are called, and the answer says what was called, how long it took and what it cost, stream: ${stream}`, async () => {
      const calls = [['tickets__find', { word: 'gates' }] as const, ['tickets__fail', {}] as const]
      setup.model.always(toolCaller([{ calls }, { text: 'Ticket 7.' }]))
      const tools = [{ type: 'mcp', server_label: 'tickets' }]
      const sent = { model: 'fake/priced', messages, tools, stream }
      const answer = await fetch(`${setup.gateway.adminUrl}${CHAT}?project=research`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify(sent),
      })
      const text = await answer.text()
      assert.equal(answer.status, 200, text)
      const steps = stream ? streamedSteps(text) : JSON.parse(text).choices[0].message.provider_content
      const made = (steps as ProviderContent).blocks.filter(({ type }) => type === 'tool_call') as GatewayCall[]
      assert.deepEqual(
        made.map(({ server, name: tool, input, output, is_error, cost }) => [
          server,
          tool,
          input,
          output,
          is_error,
          cost,
        ]),
        [
          ['tickets', 'find', { word: 'gates' }, 'Ticket 7 is about gates.', false, 0.01],
          ['tickets', 'fail', {}, 'the database is on fire', true, 0.01],
        ],
      )
      for (const { duration_ms } of made) assert.ok(Number.isInteger(duration_ms) && duration_ms! >= 0)
    })
})

function toolsOf(items: OfferedMcpServers['items']): Record<string, string[] | null> {
  return Object.fromEntries(items.map(({ name, tools }) => [name, tools?.map(({ name: tool }) => tool).sort() ?? null]))
}

function streamedSteps(text: string): unknown {
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data!))
  const found = events.flatMap(({ choices }) => choices?.[0]?.delta.provider_content ?? [])
  assert.equal(found.length, 1)
  return found[0]
}
