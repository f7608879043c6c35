import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenAI } from 'openai'
import { answer, type Behaviour, failure, hangAfterHeaders, silence } from '../fakes/behaviours.ts'
import { SOME_USAGE, textEvents, toolEvents } from '../fakes/openai-events.ts'
import { stream } from '../fakes/stream.ts'
import { collect } from '../gateway/collect.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { gatewayForAll } from '../gateway/gateway-with-fakes.ts'

// The official `openai` package as a client.

const { openai: fake, gateway } = await gatewayForAll()

const client = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
const { completions } = client.chat
const MODEL = 'openai/gpt-4o-mini'
const messages = [{ role: 'user' as const, content: 'What is the weather in Oslo?' }]
const CITY = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const WEATHER = { type: 'function' as const, function: { name: 'weather', description: 'Weather', parameters: CITY } }
const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }
const REQUEST = [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }]

test('whole, with the fake and with the sandbox', async () => {
  const { data, response, request_id } = await completions.create({ model: MODEL, messages }).withResponse()
  assert.equal(data.choices[0]?.message.content, 'Hello.')
  assert.deepEqual([data.model, data.usage], [MODEL, SOME_USAGE])
  assert.equal((data as { cost?: number }).cost, 0.00000855)
  assert.equal(response.headers.get('x-gatehouse-provider'), 'openai')
  assert.match(request_id ?? '', /^req_/)
  const echoed = await completions.create({ model: 'sandbox/echo', messages })
  assert.equal(echoed.choices[0]?.message.content, messages[0]!.content)
})

for (const model of [MODEL, 'sandbox/tools']) {
  test(`streamed, with usage: ${model}`, async () => {
    plan(model, stream(textEvents(messages[0]!.content)))
    const options = { include_usage: true }
    const chunks = await collect(await completions.create({ model, messages, stream: true, stream_options: options }))
    assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), messages[0]!.content)
    assert.deepEqual(
      chunks.filter(({ usage }) => usage).map(({ choices }) => choices),
      [[]],
    )
    assert.deepEqual(
      [chunks[0]?.choices[0]?.delta.role, chunks.at(-2)?.choices[0]?.finish_reason],
      ['assistant', 'stop'],
    )
  })

  test(`the stream() helper puts the answer together: ${model}`, async () => {
    plan(model, stream(textEvents(messages[0]!.content)))
    const runner = completions.stream({ model, messages, stream_options: { include_usage: true } })
    const transcription: string[] = []
    runner.on('content', (delta) => transcription.push(delta))
    const { choices, usage } = await runner.finalChatCompletion()
    assert.equal(choices[0]?.message.content, messages[0]!.content)
    assert.equal(transcription.join(''), messages[0]!.content)
    assert.ok(usage && usage.total_tokens > 0)
  })

  test(`streamed tool calls add up: ${model}`, async () => {
    plan(model, stream(toolEvents(REQUEST)))
    const { choices } = await completions.stream({ model, messages, tools: [WEATHER] }).finalChatCompletion()
    const [call] = choices[0]!.message.tool_calls ?? []
    assert.equal(choices[0]?.finish_reason, 'tool_calls')
    assert.ok(call?.type === 'function' && call.id)
    assert.equal(call.function.name, 'weather')
    assert.equal(typeof JSON.parse(call.function.arguments).city, 'string')
  })

  for (const streamed of [false, true]) {
    test(`runTools calls the tool and comes back with an answer: ${model}, stream: ${streamed}`, async () => {
      plan(model, streamed ? stream(toolEvents(REQUEST)) : answer({ content: null, message: { tool_calls: [CALL] } }))
      plan(model, streamed ? stream(textEvents('Rain.')) : answer({ content: 'Rain.' }))
      const cities: unknown[] = []
      const weather = {
        ...WEATHER.function,
        parse: JSON.parse,
        function: (options: object) => `rain, ${cities.push(options)}`,
      }
      const tools = [{ type: 'function' as const, function: weather }]
      const runner = streamed
        ? completions.runTools({ model, messages, tools, stream: true })
        : completions.runTools({ model, messages, tools })
      const content = await runner.finalContent()
      assert.equal(typeof (cities[0] as { city: unknown }).city, 'string')
      assert.ok(content)
      if (model !== MODEL) return
      assert.equal(content, 'Rain.')
      const history = (fake.requests[1]!.body as { messages: { role: string; tool_call_id?: string }[] }).messages
      assert.deepEqual(
        history.map(({ role, tool_call_id }) => tool_call_id ?? role),
        ['user', 'assistant', 'call_1'],
      )
    })
  }
}

test('structured output: parse() returns the document', async () => {
  const response_format = { type: 'json_schema' as const, json_schema: { name: 'place', strict: true, schema: CITY } }
  const { choices } = await completions.parse({ model: 'sandbox/echo', messages, response_format })
  assert.equal(typeof (choices[0]?.message.parsed as { city?: unknown } | null)?.city, 'string')
  fake.next(answer({ content: '{"city":"Oslo"}' }))
  const reported = await completions.parse({ model: MODEL, messages, response_format })
  assert.deepEqual(reported.choices[0]?.message.parsed, { city: 'Oslo' })
  assert.deepEqual((fake.requests[0]!.body as { response_format: unknown }).response_format, response_format)
})

test('models: list and retrieve, with the slash encoded', async () => {
  const models = await collect(client.models.list())
  assert.ok(models.some(({ id, object }) => id === MODEL && object === 'model'))
  assert.deepEqual(
    [(await client.models.retrieve(MODEL)).id, (await client.models.retrieve(MODEL)).owned_by],
    [MODEL, 'openai'],
  )
  await assert.rejects(client.models.retrieve('openai/nothing'), OpenAI.NotFoundError)
})

test('errors are the classes of the SDK, with our message', async () => {
  const stranger = new OpenAI({ apiKey: 'nope', baseURL: `${gateway.url}/v3`, maxRetries: 0 })
  await assert.rejects(stranger.chat.completions.create({ model: MODEL, messages }), (error) => {
    return (
      error instanceof OpenAI.AuthenticationError && error.code === 'invalid_api_key' && /Bearer/.test(error.message)
    )
  })
  await assert.rejects(completions.create({ model: 'unknown/x', messages }), (error) => {
    return error instanceof OpenAI.NotFoundError && error.code === 'model_not_found' && /unknown\/x/.test(error.message)
  })
  await assert.rejects(completions.create({ model: MODEL, messages, temperature: 3 }), (error) => {
    assert.ok(error instanceof OpenAI.UnprocessableEntityError)
    assert.match(error.message, /temperature: Input should be less than or equal to 2/)
    return error.param === 'temperature' && /^req_/.test(error.requestID ?? '')
  })
  for (const streamed of [false, true]) {
    await assert.rejects(completions.create({ model: 'sandbox/fail-429', messages, stream: streamed }), (error) => {
      return (
        error instanceof OpenAI.RateLimitError &&
        error.headers.get('retry-after') === '1' &&
        /Rate limit/.test(error.message)
      )
    })
  }
  fake.next(failure(500, { message: 'The dog ate it.' }))
  await assert.rejects(completions.create({ model: MODEL, messages }), (error) => {
    return error instanceof OpenAI.InternalServerError && error.status === 502 && /The dog ate it/.test(error.message)
  })
})

test('a stream that breaks off raises an error, whatever broke it', async () => {
  const events = textEvents('Hi there').slice(0, 2)
  const endings = [stream(events, { end: 'fin' }), stream(events, { end: 'rst' }), stream(events, { end: 'clean' })]
  for (const behaviour of [...endings, stream([...events, { error: { message: 'boom' } }])]) {
    fake.next(behaviour)
    const chunks = await completions.create({ model: MODEL, messages, stream: true })
    await assert.rejects(collect(chunks), OpenAI.APIError)
  }
  await assert.rejects(completions.stream({ model: 'sandbox/cut', messages }).finalContent(), OpenAI.APIError)
})

test('an abort reaches the provider: before the headers, before the first token, in the middle', async () => {
  const middle = stream(textEvents('Hi there'), { waitFor: new Promise(() => {}), waitAfter: 2 })
  for (const [index, behaviour] of [silence(), hangAfterHeaders(), middle].entries()) {
    fake.next(behaviour)
    const leave = new AbortController()
    const asking = completions.create({ model: MODEL, messages, stream: true }, { signal: leave.signal })
    const reading = asking.then(async (chunks) => {
      for await (const _ of chunks) leave.abort()
    })
    const seen = await fake.request(index)
    if (behaviour !== middle) leave.abort()
    // The SDK ends an abandoned stream without an error, but throws one before the first byte.
    if (behaviour === middle) await reading
    else await assert.rejects(reading, OpenAI.APIUserAbortError)
    assert.equal(await seen.closed, true)
  }
})

test('leaving the loop early reaches the provider too', async () => {
  fake.next(stream(textEvents('Hi there'), { waitFor: new Promise(() => {}), waitAfter: 2 }))
  for await (const _ of await completions.create({ model: MODEL, messages, stream: true })) break
  assert.equal(await (await fake.request(0)).closed, true)
})

/** Sets the fake's next behaviour, if the model belongs to the fake. */
function plan(model: string, behaviour: Behaviour): void {
  if (model === MODEL) fake.next(behaviour)
}
