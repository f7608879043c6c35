import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'
import { answer, type Behaviour, failure, silence } from '../fakes/behaviours.ts'
import { reasoningEvents, textEvents, toolEvents } from '../fakes/openai-events.ts'
import { stream } from '../fakes/stream.ts'
import { collect } from '../gateway/collect.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { gatewayForAll } from '../gateway/gateway-with-fakes.ts'

// The AI SDK with its OpenAI-compatible provider as a client.

const { openai: fake, gateway } = await gatewayForAll()

const provider = createOpenAICompatible({
  name: 'gatehouse',
  apiKey: API_KEY,
  baseURL: `${gateway.url}/v3`,
  includeUsage: true,
  supportsStructuredOutputs: true,
})
const MODELS = ['openai/gpt-4o-mini', 'sandbox/tools'] as const
const [MODEL] = MODELS
const prompt = 'What is the weather in Oslo?'
const CITY = jsonSchema<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
})
const REQUEST = [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }]
const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }

for (const model of MODELS) {
  test(`generateText: ${model}`, async () => {
    plan(model, answer({ content: prompt }))
    const { text, usage, finishReason } = await generateText({ model: provider(model), prompt })
    assert.deepEqual([text, finishReason], [prompt, 'stop'])
    assert.ok(usage.totalTokens && usage.totalTokens > 0)
  })

  test(`streamText, with usage: ${model}`, async () => {
    plan(model, stream(textEvents(prompt)))
    const result = streamText({ model: provider(model), prompt })
    assert.equal((await collect(result.textStream)).join(''), prompt)
    assert.ok(((await result.usage).totalTokens ?? 0) > 0)
    assert.equal(await result.finishReason, 'stop')
  })

  for (const streamed of [false, true]) {
    test(`a tool is called and its result goes back: ${model}, stream: ${streamed}`, async () => {
      plan(model, streamed ? stream(toolEvents(REQUEST)) : answer({ content: null, message: { tool_calls: [CALL] } }))
      plan(model, streamed ? stream(textEvents('Rain.')) : answer({ content: 'Rain.' }))
      const cities: string[] = []
      const weather = tool({ inputSchema: CITY, execute: async ({ city }) => `rain, ${cities.push(city)}` })
      const options = { model: provider(model), prompt, tools: { weather }, stopWhen: stepCountIs(2) }
      const text = streamed ? await streamText(options).text : (await generateText(options)).text
      assert.equal(cities.length, 1)
      assert.ok(text)
      if (model !== MODEL) return
      assert.deepEqual([text, cities], ['Rain.', ['Oslo']])
      const history = (fake.requests[1]!.body as { messages: { role: string }[] }).messages
      assert.deepEqual(
        history.map(({ role }) => role),
        ['user', 'assistant', 'tool'],
      )
    })
  }

  test(`structured output: ${model}`, async () => {
    plan(model, answer({ content: '{"city":"Oslo"}' }))
    const { output } = await generateText({ model: provider(model), prompt, output: Output.object({ schema: CITY }) })
    assert.equal(typeof output.city, 'string')
    if (model !== MODEL) return
    const { response_format } = fake.requests[0]!.body as { response_format: { type: string } }
    assert.deepEqual([output.city, response_format.type], ['Oslo', 'json_schema'])
  })
}

test('reasoning arrives as reasoning', async () => {
  fake.next(stream(reasoningEvents('Let me see.', 'Rain.')))
  const result = streamText({ model: provider(MODEL), prompt })
  assert.equal(await result.text, 'Rain.')
  assert.equal(await result.reasoningText, 'Let me see.')
})

const ERRORS: { model: string; key?: string; temperature?: number; status: number; message: RegExp }[] = [
  { model: MODEL, key: 'nope', status: 401, message: /Bearer/ },
  { model: 'unknown/x', status: 404, message: /unknown\/x/ },
  { model: MODEL, temperature: 3, status: 422, message: /temperature: Input should be less than or equal to 2/ },
  { model: 'sandbox/fail-429', status: 429, message: /Rate limit/ },
  { model: 'sandbox/fail-500', status: 502, message: /sandbox\/fail-500/ },
]

for (const { model, key, temperature, status, message } of ERRORS) {
  test(`${status} surfaces with our message`, async () => {
    const caller = createOpenAICompatible({ name: 'gatehouse', apiKey: key ?? API_KEY, baseURL: `${gateway.url}/v3` })
    const options = { model: caller(model), prompt, maxRetries: 0, ...(temperature && { temperature }) }
    await assert.rejects(generateText(options), (error) => {
      return APICallError.isInstance(error) && error.statusCode === status && message.test(error.message)
    })
    assert.match(String(await firstError(streamText({ ...options, onError: () => {} }))), message)
  })
}

test('a stream that breaks off raises an error, whatever broke it', async () => {
  const events = textEvents('Hi there').slice(0, 2)
  const endings = [stream(events, { end: 'fin' }), stream(events, { end: 'rst' }), stream(events, { end: 'clean' })]
  for (const behaviour of [...endings, stream([...events, { error: { message: 'boom' } }])]) {
    fake.next(behaviour)
    const error = await firstError(streamText({ model: provider(MODEL), prompt, maxRetries: 0, onError: () => {} }))
    assert.match(JSON.stringify(error) + String(error), /openai\/gpt-4o-mini: (the provider|boom)/)
  }
})

test('a whole answer that breaks off raises an error', async () => {
  fake.next(failure(503, { message: 'Not now.' }))
  await assert.rejects(generateText({ model: provider(MODEL), prompt, maxRetries: 0 }), /Not now/)
})

test('an abort reaches the provider: whole, before the first token, in the middle', async () => {
  const middle = stream(textEvents('Hi there'), { waitFor: new Promise(() => {}), waitAfter: 2 })
  for (const [index, behaviour] of [silence(), silence(), middle].entries()) {
    fake.next(behaviour)
    const leave = new AbortController()
    const options = { model: provider(MODEL), prompt, maxRetries: 0, abortSignal: leave.signal }
    const reading =
      index === 0 ? generateText(options) : collect(streamText({ ...options, onError: () => {} }).fullStream)
    const seen = await fake.request(index)
    leave.abort()
    await reading.catch(() => undefined)
    assert.equal(await seen.closed, true)
  }
})

/** The error in a stream of the SDK, which does not throw it. */
async function firstError({
  fullStream,
}: {
  fullStream: AsyncIterable<{ type: string; error?: unknown }>
}): Promise<unknown> {
  for await (const part of fullStream) if (part.type === 'error') return part.error
  throw new Error('the stream ended without an error')
}

/** Sets the fake's next behaviour, if the model belongs to the fake. */
function plan(model: string, behaviour: Behaviour): void {
  if (model === MODEL) fake.next(behaviour)
}
