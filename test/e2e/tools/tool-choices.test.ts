import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { startMcpServer } from '../../fakes/mcp-server.ts'
import { type FakeTurn, toolCaller } from '../../fakes/tool-caller.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type GatewayWithTools, startGatewayWithTools } from '../../gateway/gateway-with-tools.ts'

// Which tools of MCP servers a request lets its model choose, in the words of each format.

type Fields = Record<string, unknown>
type Sent = { tools: { function: { name: string } }[]; tool_choice?: unknown; messages: Fields[] }

const TICKETS = { type: 'mcp', server_label: 'tickets', allowed_tools: ['find', 'count'], require_approval: 'never' }
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } }
const WEATHER = { name: 'weather', parameters: PARAMETERS }
const ONE_ROUND: FakeTurn[] = [{ calls: [['tickets__count', {}]] }, { text: 'There are 42.' }]
const COUNT = { type: 'function', function: { name: 'tickets__count' } }
const FIND = { type: 'function', function: { name: 'tickets__find' } }
const OWN = { type: 'function', function: { name: 'weather' } }
const allowed = (mode: string, tools: object[]) => ({ type: 'allowed_tools', allowed_tools: { mode, tools } })

describe('the choice of tools beside those of the gateway', () => {
  let setup: GatewayWithTools
  before(async () => {
    setup = await startGatewayWithTools()
  })
  beforeEach(() => {
    setup.model.reset()
    setup.server.seen.length = 0
    setup.model.always(toolCaller(ONE_ROUND))
  })
  after(() => setup.close())

  type Case = [choice: unknown, first: unknown, later: unknown]
  const responses: Case[] = [
    ['required', 'required', 'auto'],
    ['none', 'none', 'none'],
    [{ type: 'mcp', server_label: 'tickets', name: 'count' }, COUNT, 'auto'],
    [{ type: 'mcp', server_label: 'tickets' }, allowed('required', [FIND, COUNT]), 'auto'],
    [{ type: 'function', name: 'weather' }, OWN, 'auto'],
    [
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp', server_label: 'tickets', name: 'count' }] },
      allowed('auto', [COUNT]),
      allowed('auto', [COUNT]),
    ],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'weather' },
          { type: 'mcp', server_label: 'tickets' },
        ],
      },
      allowed('required', [OWN, FIND, COUNT]),
      allowed('auto', [OWN, FIND, COUNT]),
    ],
  ]
  const messages: Case[] = [
    [{ type: 'any' }, 'required', 'auto'],
    [{ type: 'none' }, 'none', 'none'],
    [{ type: 'tool', name: 'count' }, COUNT, 'auto'],
    [{ type: 'tool', name: 'weather' }, OWN, 'auto'],
  ]
  const gemini: Case[] = [
    [{ mode: 'ANY' }, 'required', 'auto'],
    [{ mode: 'NONE' }, 'none', 'none'],
    [{ mode: 'ANY', allowedFunctionNames: ['tickets__count'] }, COUNT, 'auto'],
  ]

  for (const stream of [false, true])
    for (const [choice, first, later] of responses)
      test(`responses: ${JSON.stringify(choice)}, stream: ${stream}`, async () => {
        const tools = [TICKETS, { type: 'function', ...WEATHER }]
        await ask('/v3/responses', { input: 'x', tools, tool_choice: choice, stream })
        assert.deepEqual(choices(), [first, later])
      })

  for (const [choice, first, later] of messages)
    test(`messages: ${JSON.stringify(choice)}`, async () => {
      const tools = [
        { type: 'mcp_toolset', mcp_server_name: 'tickets' },
        { name: 'weather', input_schema: PARAMETERS },
      ]
      await converse({ tools, tool_choice: choice })
      assert.deepEqual(choices(), [first, later])
    })

  for (const [choice, first, later] of gemini)
    test(`Gemini: ${JSON.stringify(choice)}`, async () => {
      const tools = [{ mcpServers: [{ name: 'tickets' }], functionDeclarations: [WEATHER] }]
      await generate({ tools, toolConfig: { functionCallingConfig: choice } })
      assert.deepEqual(choices(), [first, later])
    })

  test('holds where there are no other tools', async () => {
    for (const [mode, sent] of [['required', ['required', 'auto']] as const, ['none', ['none', 'none']] as const]) {
      await ask('/v3/chat/completions', { messages: USER, tools: [TICKETS], tool_choice: mode })
      assert.deepEqual(choices(), sent, 'chat completions')
      await ask('/v3/responses', { input: 'x', tools: [TICKETS], tool_choice: mode })
      assert.deepEqual(choices(), sent, 'responses')
      const toolset = [{ type: 'mcp_toolset', mcp_server_name: 'tickets' }]
      await converse({ tools: toolset, tool_choice: { type: mode === 'none' ? mode : 'any' } })
      assert.deepEqual(choices(), sent, 'messages')
      const functionCallingConfig = { mode: mode === 'none' ? 'NONE' : 'ANY' }
      await generate({ tools: [{ mcpServers: [{ name: 'tickets' }] }], toolConfig: { functionCallingConfig } })
      assert.deepEqual(choices(), sent, 'Gemini')
    }
  })

  test('functions of the caller can be called when the gateway may make no call any more', async () => {
    const turns: FakeTurn[] = [
      { calls: [['tickets__count', {}]] },
      { calls: [['tickets__count', {}]] },
      { calls: [['weather', { city: 'Oslo' }]] },
    ]
    setup.model.reset()
    setup.model.always(toolCaller(turns))
    const tools = [TICKETS, { type: 'function', ...WEATHER }]
    const { body } = await ask('/v3/responses', { input: 'x', tools, max_tool_calls: 1 })
    const items = (body.output as Fields[]).filter(({ type }) => type === 'mcp_call' || type === 'function_call')
    assert.deepEqual(
      items.map(({ type, error = null }) => [type, error]),
      [
        ['mcp_call', null],
        ['mcp_call', 'This tool may not be used any more.'],
        ['function_call', null],
      ],
    )
    assert.equal(setup.server.calls().length, 1)
    assert.deepEqual(choices(), [undefined, undefined, undefined])
  })

  test('messages: a server that no toolset names says itself which of its tools may be used', async () => {
    const server = { type: 'url', name: 'tickets', url: setup.server.url }
    const configured = (tool_configuration: object) => converse({ mcp_servers: [{ ...server, tool_configuration }] })
    await configured({ enabled: true, allowed_tools: ['count'] })
    assert.deepEqual(setup.server.calls(), ['count({})'])
    const { tools } = setup.model.requests[0]!.body as Sent
    assert.deepEqual(tools, [tools.find((tool) => tool.function.name === 'tickets__count')])
    await configured({ enabled: false })
    assert.equal((setup.model.requests[0]!.body as Partial<Sent>).tools, undefined)
  })

  test('a tool that is offered twice is refused, before the model is asked', async () => {
    const { status, body } = await ask('/v3/chat/completions', { messages: USER, tools: [TICKETS, TICKETS] })
    assert.equal(status, 422)
    assert.match(String((body.error as Fields).message), /the tool "find" of "tickets" is there twice/)
    assert.deepEqual(setup.model.requests, [])
  })

  test('a call that was approved and whose tool is not offered any more is not said to be made', async () => {
    const asking = { ...TICKETS, require_approval: 'always' }
    const { body } = await ask('/v3/responses', { input: 'x', tools: [asking] })
    const { id } = (body.output as Fields[]).find(({ type }) => type === 'mcp_approval_request')!
    const answer = { type: 'mcp_approval_response', approval_request_id: id, approve: true }
    const next = { input: [answer], previous_response_id: body.id, tools: [{ ...TICKETS, allowed_tools: ['find'] }] }
    setup.model.reset()
    setup.model.always(toolCaller([{ text: 'Sorry.' }]))
    await ask('/v3/responses', next)
    const results = (setup.model.requests[0]!.body as Sent).messages.filter(({ role }) => role === 'tool')
    assert.match(String(results[0]!.content), /it was not made/)
    assert.deepEqual(setup.server.calls(), [])
  })

  const USER = [{ role: 'user', content: 'x' }]

  function converse(more: object) {
    const mcp_servers = [{ type: 'url', name: 'tickets', url: setup.server.url }]
    return ask('/v3/messages', { max_tokens: 100, messages: USER, mcp_servers, ...more })
  }

  function generate(more: object) {
    const contents = [{ role: 'user', parts: [{ text: 'x' }] }]
    return ask('/v3/v1beta/models/fake/priced:generateContent', { contents, ...more })
  }

  async function ask(path: string, more: object) {
    setup.model.requests.length = 0
    const reply = await fetch(setup.gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...(!path.includes(':') && { model: 'fake/priced' }), ...more }),
    })
    const text = await reply.text()
    return { status: reply.status, body: text.startsWith('{') ? (JSON.parse(text) as Fields) : {} }
  }

  function choices(): unknown[] {
    return setup.model.requests.map(({ body }) => (body as Sent).tool_choice)
  }
})

test('a caller who wants tools that only read gets no others, and is asked before others are called', async () => {
  const tool = { description: 'A tool.', schema: { type: 'object', properties: {} }, run: () => 'ok' }
  const server = await startMcpServer('both', { read: { ...tool, annotations: { readOnlyHint: true } }, write: tool })
  const setup = await startGatewayWithTools({ tickets: { url: server.url } })
  const calling: FakeTurn[] = [
    {
      calls: [
        ['tickets__read', {}],
        ['tickets__write', {}],
      ],
    },
    { text: 'Done.' },
  ]
  setup.model.always(toolCaller(calling))
  const offered = async (more: object): Promise<[names: string[], made: string[]]> => {
    setup.model.requests.length = 0
    server.seen.length = 0
    const reply = await fetch(`${setup.gateway.url}/v3/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'fake/priced',
        input: 'x',
        tools: [{ type: 'mcp', server_label: 'tickets', ...more }],
      }),
    })
    await reply.text()
    const { tools } = setup.model.requests[0]!.body as Sent
    return [tools.map((one) => one.function.name).sort(), server.calls()]
  }
  const [names] = await offered({ allowed_tools: { read_only: true }, require_approval: 'never' })
  assert.deepEqual(names, ['tickets__read'])
  const [named] = await offered({ allowed_tools: { tool_names: ['read', 'write'], read_only: false } })
  assert.deepEqual(named, ['tickets__write'])
  for (const require_approval of [{ never: { read_only: true } }, { always: { read_only: false } }])
    assert.deepEqual((await offered({ require_approval }))[1], ['read({})'])
  await Promise.all([setup.close(), server.close()])
})
