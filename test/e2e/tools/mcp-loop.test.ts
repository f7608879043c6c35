import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type FakeTurn, toolCaller } from '../../fakes/tool-caller.ts'
import { ADMIN_KEY, API_KEY } from '../../gateway/gateway-under-test.ts'
import { idle } from '../../gateway/gateway-with-fakes.ts'
import { type GatewayWithTools, startGatewayWithTools } from '../../gateway/gateway-with-tools.ts'

// What a chat may do with tools of MCP servers, what it pays for them, and what stops it.

type Fields = Record<string, unknown>
type Sent = { tools: { function: { name: string } }[]; tool_choice?: unknown; messages: Fields[] }

const TICKETS = { type: 'mcp', server_label: 'tickets' }
const MESSAGES = [{ role: 'user', content: 'How many?' }]
const COUNT: FakeTurn = { calls: [['tickets__count', {}]] }
const ONE_ROUND: FakeTurn[] = [COUNT, { text: 'There are 42.' }]

for (const era of ['modern', 'sessions'] as const)
  describe(`an MCP server that speaks the ${era === 'modern' ? 'newest revision only' : 'revisions of 2025, with sessions'}`, () => {
    let setup: GatewayWithTools
    before(async () => {
      setup = await startGatewayWithTools({ era })
    })
    after(() => setup.close())

    test('is asked with the credential of the operator, and never with that of the caller', async () => {
      setup.model.always(toolCaller(ONE_ROUND))
      for (const _ of [1, 2]) {
        const { status, body } = await ask(setup, { tools: [TICKETS] })
        assert.deepEqual([status, textOf(body)], [200, 'There are 42.'])
      }
      const { seen } = setup.server
      assert.ok(seen.every(({ headers }) => headers.authorization === 'Bearer secret-of-the-operator'))
      assert.ok(!JSON.stringify(seen).includes(API_KEY))
      const methods = seen.map(({ method }) => method)
      // How the server speaks, and what it has, is found out once.
      assert.equal(methods.filter((method) => method === 'tools/list').length, 1)
      assert.equal(methods.filter((method) => method === 'server/discover').length, 1)
      assert.equal(methods.filter((method) => method === 'tools/call').length, 2)
      const versions = seen
        .filter(({ method }) => method === 'tools/call')
        .map(({ headers }) => headers['mcp-protocol-version'])
      assert.deepEqual(versions, era === 'modern' ? ['2026-07-28', '2026-07-28'] : ['2025-11-25', '2025-11-25'])
    })
  })

describe('a chat with tools of an MCP server', () => {
  let setup: GatewayWithTools
  before(async () => {
    const budget = { id: 'of-project', appliesTo: 'all', tags: { budget: 'small' }, limit: 0.015, window: 'day' }
    const ofModel = { ...budget, id: 'of-model', tags: { budget: 'model' }, models: ['fake/*'], limit: 0.005 }
    setup = await startGatewayWithTools({ config: { budgets: [budget, ofModel] } })
  })
  beforeEach(() => {
    setup.model.reset()
    setup.server.seen.length = 0
  })
  after(() => setup.close())

  test('has one line in the ledger, which shows each turn and each call', async () => {
    setup.model.always(toolCaller(ONE_ROUND))
    const { headers, body } = await ask(setup, { tools: [TICKETS] })
    await idle(setup.gateway)
    const line = (await admin(`/admin/requests/${headers.get('x-request-id')}`)) as Fields & { attempt_list: Fields[] }
    assert.deepEqual(
      line.attempt_list.map(({ model, outcome }) => [model, outcome]),
      [
        ['fake/priced', 'answered'],
        ['mcp/tickets/count', 'answered'],
        ['fake/priced', 'answered'],
      ],
    )
    assert.deepEqual([line.model, line.cost], ['fake/priced', body.cost])
    assert.ok(Math.abs(Number(body.cost) - (2 * (100e-6 + 20e-6) + 0.01)) < 1e-9)
  })

  test('refuses servers that are not the operator’s, and approvals that its format cannot ask for', async () => {
    const cases: [object, RegExp][] = [
      [{ tools: [{ ...TICKETS, server_label: 'others' }] }, /no MCP server "others"/],
      [{ tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://evil.test/mcp' }] }, /no MCP server "x"/],
      [{ tools: [{ ...TICKETS, server_url: 'https://evil.test/mcp' }] }, /another address/],
      [{ tools: [{ ...TICKETS, require_approval: 'always' }] }, /cannot ask for an approval/],
      [{ tools: [TICKETS], n: 2 }, /one answer/],
      [{ tools: [TICKETS, { type: 'function', function: { name: 'tickets__count' } }] }, /name of a tool/],
    ]
    for (const [change, message] of cases) {
      const { status, body } = await ask(setup, change)
      assert.equal(status, 422, JSON.stringify(change))
      assert.match((body.error as Fields).message as string, message)
    }
    assert.equal(setup.model.requests.length, 0)
  })

  test('offers only the allowed tools, and forces one in the first turn only', async () => {
    setup.model.always(toolCaller(ONE_ROUND))
    const tool_choice = { type: 'function', function: { name: 'tickets__count' } }
    await ask(setup, { tools: [{ ...TICKETS, allowed_tools: ['count'] }], tool_choice })
    const [first, second] = setup.model.requests.map(({ body }) => body as Sent)
    assert.deepEqual(
      [first!.tools.map((tool) => tool.function.name), first!.tool_choice],
      [['tickets__count'], tool_choice],
    )
    assert.equal(second!.tool_choice, 'auto')
  })

  for (const stream of [false, true])
    test(`ends after ten rounds, of which the last has to answer, stream: ${stream}`, async () => {
      setup.model.always(toolCaller([COUNT]))
      const { text } = await ask(setup, { tools: [TICKETS], stream })
      assert.match(text, /"finish_reason":"length"/)
      const choices = setup.model.requests.map(({ body }) => (body as Sent).tool_choice ?? 'any')
      assert.deepEqual(choices, [...Array(9).fill('any'), 'none'])
      assert.equal(setup.server.calls().length, 9)
    })

  for (const stream of [false, true])
    test(`a caller who leaves stops the tool and the loop, stream: ${stream}`, async () => {
      setup.model.always(toolCaller([{ text: 'Wait.', calls: [['tickets__slow', {}]] }, { text: 'Done.' }]))
      const controller = new AbortController()
      const asked = ask(setup, { tools: [TICKETS], stream }, controller.signal).catch(() => undefined)
      await setup.model.request(0)
      while (setup.server.calls().length === 0) await new Promise(setImmediate)
      controller.abort()
      await asked
      await setup.server.left
      await idle(setup.gateway)
      assert.equal(setup.model.requests.length, 1)
      const { items } = (await admin('/admin/requests?limit=1')) as { items: Fields[] }
      assert.equal(items[0]!.status, 499)
    })

  test('a budget that is used up stops the tool, and the next chat', async () => {
    setup.model.always(
      toolCaller([
        {
          calls: [
            ['tickets__count', {}],
            ['tickets__find', { word: 'x' }],
          ],
        },
        { text: 'Done.' },
      ]),
    )
    const { status, body } = await ask(setup, { tools: [TICKETS], max_tokens: 10, metadata: { budget: 'small' } })
    assert.deepEqual([status, textOf(body)], [200, 'Done.'])
    assert.equal(setup.server.calls().length, 1)
    const results = (setup.model.requests[1]!.body as Sent).messages.filter(({ role }) => role === 'tool')
    assert.match(results.map(({ content }) => content).join(), /budget/)
    // The rest of the budget pays for no further call, and the model is not asked what it could not pay for.
    const messages = [{ role: 'user', content: 'x'.repeat(50_000) }]
    const refused = await ask(setup, { tools: [TICKETS], messages, metadata: { budget: 'small' } })
    assert.equal(refused.status, 402)
  })

  for (const stream of [false, true])
    test(`a turn may use what earlier turns have reserved and not used, stream: ${stream}`, async () => {
      setup.model.always(toolCaller([COUNT, COUNT, COUNT, { text: 'There are 42.' }]))
      // Each turn could cost 0.002 USD for its answer alone.
      const metadata = { budget: 'model' }
      const { status, text } = await ask(setup, { tools: [TICKETS], max_tokens: 1_000, metadata, stream })
      assert.equal(status, 200)
      assert.match(text, /"finish_reason":"stop"/)
      assert.equal(setup.model.requests.length, 4)
    })

  for (const stream of [false, true])
    test(`what tools say is not shown beside a hook that filters answers, stream: ${stream}`, async () => {
      const word = 'anna@example.org'
      setup.model.always(toolCaller([{ calls: [['tickets__find', { word }]] }, { text: `About ${word}.` }]))
      const { text } = await ask(setup, { tools: [TICKETS], stream, post_hooks: [{ action: 'redact_pii' }] })
      assert.equal(setup.server.calls().length, 1)
      assert.doesNotMatch(text, /anna@example|provider_content/)
      assert.match(text, /EMAIL/i)
    })

  test('a tool that fails, and arguments that are no object, are results for the model', async () => {
    setup.model.always(
      toolCaller([
        {
          calls: [
            ['tickets__fail', {}],
            ['tickets__count', [] as never],
          ],
        },
        { text: 'Sorry.' },
      ]),
    )
    const { body } = await ask(setup, { tools: [TICKETS] })
    assert.equal(textOf(body), 'Sorry.')
    const results = (setup.model.requests[1]!.body as Sent).messages.filter(({ role }) => role === 'tool')
    assert.match(String(results[0]!.content), /^\[Error of the tool "fail".*\nthe database is on fire$/)
    assert.match(String(results[1]!.content), /not a JSON object/)
  })

  async function admin(path: string): Promise<unknown> {
    const reply = await fetch(setup.gateway.adminUrl + path, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })
    return await reply.json()
  }
})

async function ask({ gateway }: GatewayWithTools, more: object, signal?: AbortSignal) {
  const reply = await fetch(`${gateway.url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fake/priced', messages: MESSAGES, ...more }),
    ...(signal && { signal }),
  })
  const text = await reply.text()
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    body: text.startsWith('{') ? (JSON.parse(text) as Fields) : {},
  }
}

function textOf(body: Fields): unknown {
  const [choice] = body.choices as { message: { content: string } }[]
  return choice!.message.content
}
