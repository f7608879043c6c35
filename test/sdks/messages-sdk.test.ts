import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { collect } from '../gateway/collect.ts'
import { costOf, type DialectGateway, MODELS, IMAGE, startDialectGateway } from '../gateway/dialect-gateway.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { roundTripTests } from './round-trip.ts'

// The official `@anthropic-ai/sdk` as a client of every dialect.

const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Grüße aus 東京 🗼' }] }]
const SAID = 'Sir! You said: Grüße aus 東京 🗼'
const input_schema = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] }
const WEATHER: Anthropic.Tool = { name: 'weather', description: 'Weather', input_schema }

type OfGateway = { provider?: string; cost?: number | null }

describe('the messages format, by its own SDK', () => {
  let gateway: DialectGateway
  let client: Anthropic
  before(async () => {
    gateway = await startDialectGateway()
    client = clientWith({})
  })
  after(() => gateway.close())

  for (const { dialect, model, thinker } of MODELS)
    describe(dialect, () => {
      const request = { model, messages, system: 'Sir!', max_tokens: 2000 }
      const provider = model.slice(0, model.indexOf('/'))

      test('whole: content, stop reason, usage, cost, model and provider', async () => {
        const reply = await client.messages.create(request)
        assert.deepEqual(textOf(reply), SAID)
        assert.deepEqual([reply.type, reply.role, reply.stop_reason, reply.model], [...MESSAGE, 'end_turn', model])
        const { input_tokens, output_tokens, cache_read_input_tokens } = reply.usage
        assert.deepEqual([input_tokens, cache_read_input_tokens, output_tokens], [70, 30, 20])
        const { cost, provider: by } = reply as OfGateway
        assert.deepEqual([cost, by], [costOf(model, gateway.gateway), provider])
        assert.match(String(reply._request_id), /^req_/)
      })

      test('streamed: the grammar, and the same message', async () => {
        const events = await collect(await client.messages.create({ ...request, stream: true }))
        assertGrammar(events)
        const end = events.findLast(({ type }) => type === 'message_delta') as { usage?: OfGateway }
        assert.equal(end.usage?.cost, costOf(model, gateway.gateway))
        const message = await client.messages.stream(request).finalMessage()
        assert.equal(textOf(message), SAID)
        assert.deepEqual([message.stop_reason, message.model, message.usage.output_tokens], ['end_turn', model, 20])
        assert.deepEqual([message.usage.input_tokens, message.usage.cache_read_input_tokens], [70, 30])
      })

      for (const stream of [false, true])
        test(`a complete turn with two tools at once, stream: ${stream}`, async () => {
          const first = await ask({ ...request, tools: [WEATHER] }, stream)
          assert.equal(first.stop_reason, 'tool_use')
          const calls = callsIn(first)
          assert.deepEqual(
            calls.map(({ name, input }) => [name, input]),
            [
              ['weather', { city: 'Oslo' }],
              ['weather', { city: 'Zürich' }],
            ],
          )
          const next = await ask({ ...request, tools: [WEATHER], messages: answered(first, 'rain') }, stream)
          assert.equal(textOf(next), 'call_0: rain; call_1: rain')
        })

      test('an image arrives at the provider', async () => {
        const source = { type: 'base64' as const, media_type: 'image/png' as const, data: IMAGE.toString('base64') }
        const content = [
          { type: 'text' as const, text: 'What is it?' },
          { type: 'image' as const, source },
        ]
        const reply = await client.messages.create({ model, max_tokens: 100, messages: [{ role: 'user', content }] })
        assert.equal(textOf(reply), 'I see image/png of 16 bytes. You said: What is it?')
      })

      for (const stream of [false, true])
        test(`reasoning, and a tool turn that continues it, stream: ${stream}`, async () => {
          const thinking = { type: 'enabled' as const, budget_tokens: 1024 }
          const thinkers = { ...request, model: thinker, max_tokens: 4000, thinking, tools: [WEATHER] }
          const first = await ask(thinkers, stream)
          const reasoning = first.content.find((block) => block.type === 'thinking')
          assert.equal(reasoning?.type === 'thinking' && reasoning.thinking, 'Let me see.')
          const next = await ask({ ...thinkers, messages: answered(first, 'sun') }, stream)
          assert.equal(textOf(next), 'call_0: sun; call_1: sun')
        })

      test('structured output follows the schema', async () => {
        const schema = { ...input_schema, additionalProperties: false }
        const reply = await client.messages.create({
          ...request,
          output_config: { format: { type: 'json_schema', schema } },
        })
        assert.deepEqual(JSON.parse(textOf(reply)), { city: 'Zürich' })
      })

      test('an error before the answer is the class of its status, whole and streamed', async () => {
        for (const stream of [false, true])
          await assert.rejects(
            client.messages.create({ ...request, model: `${provider}/fail-400`, stream }),
            (error) => {
              assert.ok(error instanceof Anthropic.BadRequestError, String(error))
              assert.match(error.message, /It failed, as its name says/)
              assert.equal(error.type, 'invalid_request_error')
              return true
            },
          )
      })

      test('an error in the middle of a stream is raised, and there is no end', async () => {
        const transcription: string[] = []
        await assert.rejects(async () => {
          const stream = await client.messages.create({ ...request, model: `${provider}/break`, stream: true })
          for await (const { type } of stream) transcription.push(type)
        }, /It broke/)
        assert.ok(
          transcription.includes('content_block_delta') && !transcription.includes('message_stop'),
          transcription.join(),
        )
      })
    })

  roundTripTests(() => gateway)

  test('both kinds of credentials work; without one, the error has the format of Anthropic', async () => {
    const request = { model: 'sandbox/echo', max_tokens: 50, messages }
    const [bearer, header] = [{ authToken: API_KEY, apiKey: null }, { apiKey: API_KEY }]
    for (const credential of [bearer, header])
      assert.equal(textOf(await clientWith(credential).messages.create(request)), messages[0]!.content[0]!.text)
    await assert.rejects(clientWith({ apiKey: 'nonsense' }).messages.create(request), Anthropic.AuthenticationError)
  })

  function clientWith(options: object): Anthropic {
    return new Anthropic({
      apiKey: API_KEY,
      baseURL: `${gateway.gateway.url}/v3`,
      maxRetries: 0,
      ...options,
    })
  }

  async function ask(request: Anthropic.MessageCreateParamsNonStreaming, stream: boolean): Promise<Anthropic.Message> {
    return stream ? await client.messages.stream(request).finalMessage() : await client.messages.create(request)
  }
})

const MESSAGE = ['message', 'assistant']

function textOf({ content }: Anthropic.Message): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

function callsIn({ content }: Anthropic.Message): Anthropic.ToolUseBlock[] {
  return content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
}

function answered(first: Anthropic.Message, result: string): Anthropic.MessageParam[] {
  const results = callsIn(first).map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: result }))
  return [...messages, { role: 'assistant', content: first.content }, { role: 'user', content: results }]
}

/**
 * Asserts message_start, blocks one after the other, message_delta, message_stop, and nothing else. The SDK hides pings.
 */
function assertGrammar(events: { type: string; index?: number }[]): void {
  const names = events.map(({ type }) => type)
  assert.deepEqual([names[0], ...names.slice(-2)], ['message_start', 'message_delta', 'message_stop'])
  let [open, next] = [-1, 0]
  for (const { type, index } of events.slice(1, -2)) {
    if (type === 'content_block_start') {
      assert.deepEqual([open, index], [-1, next++], 'blocks follow each other')
      open = index!
    } else assert.equal(index, open, type)
    if (type === 'content_block_stop') open = -1
  }
  assert.ok(open === -1 && next > 0)
}
