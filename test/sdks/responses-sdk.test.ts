import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OpenAI } from 'openai'
import { collect } from '../gateway/collect.ts'
import { costOf, type DialectGateway, MODELS, IMAGE, startDialectGateway } from '../gateway/dialect-gateway.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'

// The responses API of the official `openai` package, with every dialect behind it.

const input = 'Grüße aus 東京 🗼'
const SAID = 'Sir! You said: Grüße aus 東京 🗼'
const CITY = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const WEATHER = { type: 'function' as const, name: 'weather', description: 'Weather', parameters: CITY, strict: false }

type OfGateway = { provider?: string; cost?: number | null }
type RequestView = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>

describe('the responses format, by its own SDK', () => {
  let gateway: DialectGateway
  let client: OpenAI
  before(async () => {
    gateway = await startDialectGateway()
    client = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.gateway.url}/v3`, maxRetries: 0 })
  })
  after(() => gateway.close())

  for (const { dialect, model, thinker } of MODELS)
    describe(dialect, () => {
      const request = { model, input, instructions: 'Sir!' }
      const provider = model.slice(0, model.indexOf('/'))

      test('whole: text, usage, cost, model and provider', async () => {
        const reply = await client.responses.create(request)
        assert.deepEqual([reply.output_text, reply.status, reply.model], [SAID, 'completed', model])
        const { input_tokens, output_tokens, total_tokens, input_tokens_details } = reply.usage!
        assert.deepEqual([input_tokens, output_tokens, total_tokens], [100, 20, 120])
        assert.equal(input_tokens_details.cached_tokens, 30)
        const { cost, provider: by } = reply as OfGateway
        assert.deepEqual([cost, by], [costOf(model, gateway.gateway), provider])
        assert.match(reply.id, /^resp_/)
      })

      test('streamed: the grammar, and the same response', async () => {
        const events = await collect(await client.responses.create({ ...request, stream: true }))
        assert.deepEqual(
          events.map(({ sequence_number }) => sequence_number),
          events.map((_, at) => at),
        )
        assert.deepEqual(withoutRepeats(events.map(({ type }) => type)), [
          ...['response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added'],
          ...['response.output_text.delta', 'response.output_text.done', 'response.content_part.done'],
          ...['response.output_item.done', 'response.completed'],
        ])
        const last = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent
        assert.equal((last.response.usage as OfGateway | undefined)?.cost, costOf(model, gateway.gateway))
        const reply = await client.responses.stream(request).finalResponse()
        assert.deepEqual([reply.output_text, reply.status, reply.usage?.total_tokens], [SAID, 'completed', 120])
      })

      for (const stream of [false, true])
        test(`a complete turn with two tools at once, stream: ${stream}`, async () => {
          const withTools = { ...request, tools: [WEATHER], store: false }
          const first = await ask(withTools, stream)
          const calls = callsIn(first)
          assert.deepEqual(
            calls.map(({ name, arguments: json }) => [name, JSON.parse(json)]),
            [
              ['weather', { city: 'Oslo' }],
              ['weather', { city: 'Zürich' }],
            ],
          )
          const next = await ask({ ...withTools, input: answered(first, 'rain') }, stream)
          assert.equal(next.output_text, 'call_0: rain; call_1: rain')
        })

      for (const stream of [false, true])
        test(`a turn continues the previous one, including reasoning, stream: ${stream}`, async () => {
          const thinkers = { ...request, model: thinker, reasoning: { effort: 'high' as const }, tools: [WEATHER] }
          const first = await ask(thinkers, stream)
          const reasoning = first.output.find((item) => item.type === 'reasoning')
          assert.equal(reasoning?.type === 'reasoning' && reasoning.summary[0]?.text, 'Let me see.')
          const results = answered(first, 'sun').filter((item) => item.type === 'function_call_output')
          const next = await ask({ ...thinkers, input: results, previous_response_id: first.id }, stream)
          assert.deepEqual([next.output_text, next.previous_response_id], ['call_0: sun; call_1: sun', first.id])
        })

      test('an image arrives at the provider', async () => {
        const image_url = `data:image/png;base64,${IMAGE.toString('base64')}`
        const content = [
          { type: 'input_text' as const, text: 'What is it?' },
          { type: 'input_image' as const, image_url, detail: 'auto' as const },
        ]
        const reply = await client.responses.create({ model, input: [{ role: 'user', content }] })
        assert.equal(reply.output_text, 'I see image/png of 16 bytes. You said: What is it?')
      })

      test('structured output follows the schema', async () => {
        const text = { format: { type: 'json_schema' as const, name: 'place', schema: CITY, strict: true } }
        const reply = await client.responses.parse({ ...request, text })
        assert.deepEqual(reply.output_parsed, { city: 'Zürich' })
      })

      test('errors, before the answer and in the middle of it', async () => {
        for (const stream of [false, true])
          await assert.rejects(
            client.responses.create({ ...request, model: `${provider}/fail-400`, stream }),
            OpenAI.BadRequestError,
          )
        await assert.rejects(async () => {
          const stream = await client.responses.create({ ...request, model: `${provider}/break`, stream: true })
          for await (const { type } of stream) assert.notEqual(type, 'response.completed')
        }, /It broke/)
      })
    })

  async function ask(fields: RequestView, stream: boolean): Promise<OpenAI.Responses.Response> {
    return stream ? await client.responses.stream(fields).finalResponse() : await client.responses.create(fields)
  }
})

function callsIn({ output }: OpenAI.Responses.Response): OpenAI.Responses.ResponseFunctionToolCall[] {
  return output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
}

function answered(first: OpenAI.Responses.Response, output: string): OpenAI.Responses.ResponseInputItem[] {
  const results = callsIn(first).map(({ call_id }) => ({ type: 'function_call_output' as const, call_id, output }))
  return [{ role: 'user', content: input }, ...(first.output as OpenAI.Responses.ResponseInputItem[]), ...results]
}

function withoutRepeats(names: string[]): string[] {
  return names.filter((name, at) => name !== names[at - 1])
}
