import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { type FakeTurn, toolCaller } from '../fakes/tool-caller.ts'
import { collect } from '../gateway/collect.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { type GatewayWithTools, startGatewayWithTools } from '../gateway/gateway-with-tools.ts'

// Tools of MCP servers that the gateway calls, in each format, as its official SDK reads the answer.

const TICKETS = { type: 'mcp' as const, server_label: 'tickets', allowed_tools: ['find', 'count', 'fail'] }
const TWO_ROUNDS: FakeTurn[] = [
  {
    text: 'Let me look.',
    calls: [
      ['tickets__find', { word: 'gates' }],
      ['tickets__count', {}],
    ],
  },
  { calls: [['tickets__fail', {}]] },
  { text: 'There are 42 tickets.' },
]
const SAID = 'Let me look.\n\nThere are 42 tickets.'
const MADE = ['find({"word":"gates"})', 'count({})', 'fail({})']
/** Ours, and then one for the caller. */
const MIXED: FakeTurn[] = [
  {
    calls: [
      ['tickets__count', {}],
      ['weather', { city: 'Oslo' }],
    ],
  },
  { text: 'It is cold.' },
]
const WEATHER = {
  name: 'weather',
  description: 'Weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}
/** Three turns of the fake at 1 and 2 USD per million tokens, and three calls. */
const COST = 3 * (100 * 1e-6 + 10 * 2e-6) + 3 * 0.01

describe('tools that the gateway calls, by the SDK of each format', () => {
  let setup: GatewayWithTools
  let openai: OpenAI
  let anthropic: Anthropic
  let google: GoogleGenAI
  before(async () => {
    setup = await startGatewayWithTools()
    const { url } = setup.gateway
    openai = new OpenAI({ apiKey: API_KEY, baseURL: `${url}/v3`, maxRetries: 0 })
    anthropic = new Anthropic({ apiKey: API_KEY, baseURL: `${url}/v3`, maxRetries: 0 })
    google = new GoogleGenAI({ apiKey: API_KEY, httpOptions: { baseUrl: `${url}/v3` } })
  })
  beforeEach(() => {
    setup.model.reset()
    setup.server.seen.length = 0
  })
  after(() => setup.close())

  for (const stream of [false, true]) {
    const how = stream ? 'streamed' : 'whole'

    describe(how, () => {
      test('chat completions', async () => {
        setup.model.always(toolCaller(TWO_ROUNDS))
        const reply = await chat({ tools: [TICKETS as never] })
        const [choice] = reply.choices
        assert.deepEqual([choice!.finish_reason, choice!.message.content], ['stop', SAID])
        assert.equal(choice!.message.tool_calls?.length ?? 0, 0)
        assert.deepEqual(setup.server.calls(), MADE)
        assert.deepEqual([reply.usage!.prompt_tokens, reply.usage!.completion_tokens], [300, 30])
        assertCost((reply as { cost?: number }).cost)
      })

      test('chat completions: a turn that mixes tools ends at the tools of the caller, and the next request continues it', async () => {
        setup.model.always(toolCaller(MIXED))
        const tools = [TICKETS as never, { type: 'function' as const, function: WEATHER }]
        const reply = await chat({ tools })
        const { message, finish_reason } = reply.choices[0]!
        assert.equal(finish_reason, 'tool_calls')
        assert.deepEqual(setup.server.calls(), ['count({})'])
        const [call, ...others] = message.tool_calls!
        assert.deepEqual(
          [others.length, call!.type === 'function' && call!.function],
          [0, { name: 'weather', arguments: '{"city":"Oslo"}' }],
        )
        const result = { role: 'tool' as const, tool_call_id: call!.id, content: '-3' }
        const next = await chat({ tools }, [message, result])
        assert.equal(next.choices[0]!.message.content, 'It is cold.')
        const sent = lastSent()
        assert.deepEqual(
          sent.map(({ role, tool_call_id }) => [role, tool_call_id]),
          [
            ['user', undefined],
            ['assistant', undefined],
            ['tool', 'call_0_0'],
            ['tool', 'call_0_1'],
          ],
        )
        assert.match(String(sent[2]!.content), /^\[Result of the tool "count".*\n42$/)
      })

      test('responses: the items of MCP, in one lifecycle', async () => {
        setup.model.always(toolCaller(TWO_ROUNDS))
        const tools = [{ ...TICKETS, require_approval: 'never' as const }]
        const response = await respond({ tools, input: 'How many?' })
        assert.deepEqual([response.status, response.output_text], ['completed', SAID])
        const types = response.output.map(({ type }) => type).filter((type) => type !== 'reasoning')
        const calls = ['mcp_call', 'mcp_call', 'mcp_call']
        assert.deepEqual([...types].sort(), [...calls, 'mcp_list_tools', 'message'].sort())
        const made = response.output.flatMap((item) => (item.type === 'mcp_call' ? [item] : []))
        assert.deepEqual(
          made.map(({ name, server_label, output, error }) => [name, server_label, output, error]),
          [
            ['find', 'tickets', 'Ticket 7 is about gates.', null],
            ['count', 'tickets', '42', null],
            ['fail', 'tickets', null, 'the database is on fire'],
          ],
        )
        assert.deepEqual([response.usage!.input_tokens, response.usage!.output_tokens], [300, 30])
        assertCost((response as { cost?: number }).cost)
        // The next request needs no list any more, and its model knows what was called.
        setup.model.reset()
        setup.model.always(toolCaller([{ text: 'As I said.' }]))
        const next = await respond({ tools, input: 'Sure?', previous_response_id: response.id })
        assert.deepEqual(
          next.output.map(({ type }) => type),
          ['message'],
        )
        assert.deepEqual(
          lastSent().map(({ role }) => role),
          ['user', 'assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant', 'user'],
        )
      })

      test('responses: a call that needs approval waits for it', async () => {
        setup.model.always(
          toolCaller([
            {
              calls: [
                ['tickets__find', { word: 'x' }],
                ['tickets__count', {}],
              ],
            },
            { text: 'Done.' },
          ]),
        )
        const require_approval = { always: { tool_names: ['find'] } }
        const tools = [{ ...TICKETS, require_approval }]
        const response = await respond({ tools, input: 'Find x.' })
        const request = response.output.find((item) => item.type === 'mcp_approval_request')
        assert.ok(request && request.type === 'mcp_approval_request')
        assert.deepEqual([request.name, request.arguments, response.status], ['find', '{"word":"x"}', 'completed'])
        assert.deepEqual(setup.server.calls(), ['count({})'])
        for (const approve of [true, false]) {
          setup.server.seen.length = 0
          const answer = { type: 'mcp_approval_response' as const, approval_request_id: request.id, approve }
          const next = await respond({ tools, input: [answer], previous_response_id: response.id })
          assert.equal(next.output_text, 'Done.')
          assert.deepEqual(setup.server.calls(), approve ? ['find({"word":"x"})'] : [])
          const said = lastSent()
            .filter(({ role }) => role === 'tool')
            .map(({ content }) => String(content))
          assert.ok(
            said.some((text) => (approve ? /Ticket 7 is about x/ : /did not approve/).test(text)),
            said.join(),
          )
        }
      })

      test('messages: the blocks of MCP', async () => {
        setup.model.always(toolCaller(TWO_ROUNDS))
        const message = await converse({})
        const shown = message.content.filter(({ type }) => type !== 'redacted_thinking')
        const texts = shown.flatMap((block) => (block.type === 'text' ? [block.text] : []))
        assert.equal(texts.join(''), SAID)
        const uses = shown.flatMap((block) => (block.type === 'mcp_tool_use' ? [block] : []))
        assert.deepEqual(
          uses.map(({ name, server_name, input }) => [name, server_name, input]),
          [
            ['find', 'tickets', { word: 'gates' }],
            ['count', 'tickets', {}],
            ['fail', 'tickets', {}],
          ],
        )
        const results = shown.flatMap((block) => (block.type === 'mcp_tool_result' ? [block] : []))
        assert.deepEqual(
          results.map(({ is_error }) => is_error),
          [false, false, true],
        )
        assert.deepEqual(
          results.map(({ tool_use_id }) => tool_use_id),
          uses.map(({ id }) => id),
        )
        assert.equal(message.stop_reason, 'end_turn')
        assert.deepEqual([message.usage.input_tokens, message.usage.output_tokens], [300, 30])
        // The next turn goes on from it.
        setup.model.always(toolCaller([{ text: 'As I said.' }]))
        await converse({}, [message])
        assert.deepEqual(
          lastSent().map(({ role }) => role),
          ['user', 'assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant', 'user'],
        )
      })

      test('Gemini: the text, with a note about the calls', async () => {
        setup.model.always(toolCaller(TWO_ROUNDS))
        const asked = {
          model: 'fake/priced',
          contents: 'How many?',
          config: { tools: [{ mcpServers: [{ name: 'tickets' }] }] },
        }
        const replies = stream
          ? await collect(await google.models.generateContentStream(asked))
          : [await google.models.generateContent(asked)]
        assert.equal(replies.map(({ text }) => text ?? '').join(''), SAID)
        const ends = replies.flatMap(({ candidates }) => candidates?.[0]?.finishReason ?? [])
        assert.deepEqual(ends, ['STOP'])
        assert.deepEqual(setup.server.calls(), MADE)
        assert.equal(replies.at(-1)!.usageMetadata!.promptTokenCount, 300)
      })
    })

    async function chat(more: object, after: object[] = []): Promise<OpenAI.ChatCompletion> {
      const messages = [{ role: 'user' as const, content: 'How many?' }, ...(after as never[])]
      const request = { model: 'fake/priced', messages, ...more }
      if (!stream) return await openai.chat.completions.create(request)
      const streamed = openai.chat.completions.stream({ ...request, stream_options: { include_usage: true } })
      const chunks: OpenAI.ChatCompletionChunk[] = []
      streamed.on('chunk', (chunk) => chunks.push(chunk))
      const final = await streamed.finalChatCompletion()
      assert.equal(new Set(chunks.map(({ id }) => id)).size, 1)
      assert.equal(chunks.filter(({ choices }) => choices[0]?.finish_reason).length, 1)
      assert.equal(chunks.filter(({ choices }) => choices[0]?.delta.role).length, 1)
      const { cost } = chunks.at(-1) as { cost?: number }
      const content = chunks
        .map(({ choices }) => choices[0]?.delta as { provider_content?: object })
        .find((delta) => delta?.provider_content)
      Object.assign(final.choices[0]!.message, content && { provider_content: content.provider_content })
      return Object.assign(final, { cost, usage: chunks.at(-1)!.usage })
    }

    async function respond(more: object): Promise<OpenAI.Responses.Response> {
      const request = { model: 'fake/priced', ...more }
      if (!stream) return await openai.responses.create(request)
      const streamed = openai.responses.stream(request)
      const numbers: number[] = []
      const kinds: string[] = []
      const indexes: number[] = []
      streamed.on('event', (event) => {
        numbers.push((event as { sequence_number: number }).sequence_number)
        kinds.push(event.type)
        if (event.type === 'response.output_item.added') indexes.push(event.output_index)
      })
      const final = await streamed.finalResponse()
      assert.deepEqual(
        numbers,
        numbers.map((_, at) => at),
      )
      assert.deepEqual(
        indexes,
        indexes.map((_, at) => at),
      )
      assert.equal(kinds.filter((kind) => kind === 'response.created').length, 1)
      assert.equal(kinds.filter((kind) => /^response\.(completed|incomplete|failed)$/.test(kind)).length, 1)
      return final
    }

    async function converse(
      more: object,
      earlier: Anthropic.Beta.BetaMessage[] = [],
    ): Promise<Anthropic.Beta.BetaMessage> {
      const turns = earlier.flatMap(({ content }) => [
        { role: 'assistant', content },
        { role: 'user', content: 'Sure?' },
      ])
      const request = {
        model: 'fake/priced',
        max_tokens: 1000,
        messages: [{ role: 'user', content: 'How many?' }, ...turns],
        mcp_servers: [{ type: 'url', name: 'tickets', url: setup.server.url }],
        tools: [{ type: 'mcp_toolset', mcp_server_name: 'tickets' }],
        ...more,
      } as unknown as Anthropic.Beta.MessageCreateParamsNonStreaming
      if (!stream) return await anthropic.beta.messages.create(request)
      const events = await collect(await anthropic.beta.messages.create({ ...request, stream: true }))
      const starts = events.flatMap((event) => (event.type === 'content_block_start' ? [event.index] : []))
      assert.deepEqual(
        starts,
        starts.map((_, at) => at),
      )
      assert.equal(events.filter(({ type }) => type === 'message_stop').length, 1)
      assert.equal(events.filter(({ type }) => type === 'message_delta').length, 1)
      return await anthropic.beta.messages.stream(request).finalMessage()
    }
  }

  function lastSent(): { role: string; content: unknown; tool_call_id?: string }[] {
    return (setup.model.requests.at(-1)!.body as { messages: [] }).messages
  }
})

function assertCost(cost: number | null | undefined): void {
  assert.ok(Math.abs(Number(cost) - COST) < 1e-9, `${cost} instead of ${COST}`)
}
