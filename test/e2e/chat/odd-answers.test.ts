import assert from 'node:assert/strict'
import { test } from 'node:test'
import { status } from '../../fakes/behaviours.ts'
import { messagesOf } from '../../fakes/fold-chunks.ts'
import { DIALECT_SAMPLES } from '../../fakes/recordings.ts'
import { stream } from '../../fakes/stream.ts'
import { CALL, HEAD, MESSAGE, RESPONSE } from '../../fakes/whole-answers.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { gatewayWithRows, rowPerDialect } from '../../gateway/gateway-with-rows.ts'

// Whole answers where a stream was asked for, and answers with parts of another type.

type Fields = Record<string, unknown>

const JSON_TYPE = { 'content-type': 'application/json' }

const { provider, chat, post } = await gatewayWithRows(rowPerDialect())

for (const [dialect, { recordings }] of Object.entries(DIALECT_SAMPLES))
  test(`${dialect}: a whole answer to a streamed request is passed on, and asked for once`, async () => {
    const model = `my-${dialect}/x`
    for (const { whole } of recordings.filter(({ request, name }) => request.n === undefined && !/xAI/.test(name))) {
      provider.reset()
      provider.always(status(200, whole, JSON_TYPE))
      const { completion } = await chat.whole({ ...HELLO, model })
      const streamed = await chat.stream({ ...HELLO, model, stream_options: { include_usage: true } })
      assert.deepEqual([streamed.status, streamed.done, streamed.errors], [200, 1, []], whole)
      assert.deepEqual(plain(messagesOf(streamed.chunks)), plain(completion.choices.map(({ message }) => message)))
      assert.deepEqual(plain(streamed.chunks.at(-1)!.usage), plain(completion.usage))
      assert.equal(provider.requests.length, 2)
    }
  })

test('a whole answer of several choices, and one that claims to be an event stream', async () => {
  const choice = (index: number) => ({
    index,
    message: { role: 'assistant', content: `Nr. ${index}`, tool_calls: [CALL] },
    finish_reason: 'tool_calls',
  })
  const body = JSON.stringify({ id: 'x', created: 1, choices: [choice(0), choice(1)] })
  for (const type of ['application/json', 'text/event-stream']) {
    provider.always(status(200, body, { 'content-type': type }))
    const reply = await chat.stream({ ...HELLO, model: 'my-openai/x', n: 2 })
    const expected = [0, 1].map((nr) => ({ role: 'assistant', content: `Nr. ${nr}`, tool_calls: [CALL] }))
    assert.deepEqual([reply.done, plain(messagesOf(reply.chunks))], [1, expected], type)
  }
})

const BAD_WHOLES: Record<string, string> = {
  'an error': '{"object":"error","message":"boom"}',
  'half an answer': '{"choices":[{"message":{"content":"Hi"',
  'an answer without a finish reason and without content': '{"choices":[{"index":0,"message":{"content":""}}]}',
  'a call without the end of its arguments': JSON.stringify({
    choices: [
      { message: { tool_calls: [{ ...CALL, function: { name: 'f', arguments: '{"a' } }] }, finish_reason: 'stop' },
    ],
  }),
}
for (const [what, body] of Object.entries(BAD_WHOLES))
  test(`${what} in one piece is no stream`, async () => {
    provider.always(status(200, body, JSON_TYPE))
    const { status: code, errors, done } = await chat.stream({ ...HELLO, model: 'my-openai/bad' })
    assert.deepEqual([code, errors.length, done], [502, 1, 0])
  })

const openai = (message: object, more: object = {}) => ({
  ...HEAD,
  choices: [{ message, finish_reason: 'stop', ...more }],
})
const claude = (...content: unknown[]) => ({
  ...MESSAGE,
  content: [{ type: 'text', text: 'Hi' }, ...content],
  stop_reason: 'end_turn',
})
const cohere = (message: object) => ({
  id: 'a',
  finish_reason: 'COMPLETE',
  message: { role: 'assistant', ...message },
})
const gemini = (content: unknown) => ({ candidates: [{ index: 0, content, finishReason: 'STOP' }] })
const bedrock = (...content: unknown[]) => ({
  output: { message: { role: 'assistant', content: [{ text: 'Hi' }, ...content] } },
  stopReason: 'end_turn',
})
const response = (...output: unknown[]) => ({ ...RESPONSE, output: [...RESPONSE.output.slice(0, 2), ...output] })
const LOSSY: Record<string, [dialect: string, answers: object[]]> = {
  OpenAI: [
    'my-openai',
    [
      openai({ content: { text: 'Hi' } }),
      openai({ content: ['Hi'] }),
      openai({ content: true }),
      openai({
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 5 },
        ],
      }),
      openai({ content: 'Hi', tool_calls: 'f()' }),
      openai({ content: 'Hi', tool_calls: ['f()'] }),
      openai({ content: 'Hi', tool_calls: [{ id: 'c', type: 'function', function: 'f()' }] }),
      openai({ content: 'Hi' }, { finish_reason: 'stop', error: { message: 'boom' } }),
      openai({ content: 'Hi' }, { finish_reason: 'failed' }),
    ],
  ],
  Anthropic: [
    'my-anthropic',
    [
      claude({ type: 'text', text: 5 }),
      claude({ type: 'text', text: { value: 'x' } }),
      claude({ type: 'thinking', thinking: {} }),
      claude({ type: 'tool_use', id: 't', name: 'f', input: '{"a' }),
      claude('x'),
      { ...claude(), stop_reason: 'error' },
    ],
  ],
  Gemini: [
    'my-gemini',
    [
      gemini('Hi'),
      gemini({ parts: 'Hi' }),
      gemini({ parts: [{ text: 'Hi' }, 'x'] }),
      gemini({ parts: [{ text: 'Hi' }, { text: 5 }] }),
      gemini({ parts: [{ text: 'Hi' }, { functionCall: 'f()' }] }),
      gemini({ parts: [{ text: 'Hi' }, { functionCall: { args: { a: 1 } } }] }),
    ],
  ],
  Cohere: [
    'my-cohere',
    [
      cohere({ content: 'Hi' }),
      cohere({ content: [{ type: 'text', text: 'Hi' }, 'x'] }),
      cohere({
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 5 },
        ],
      }),
      cohere({ content: [{ type: 'text', text: 'Hi' }], tool_calls: 'f()' }),
      cohere({ content: [{ type: 'text', text: 'Hi' }], tool_calls: [{ id: 'c', function: 'f()' }] }),
      cohere({
        content: [{ type: 'text', text: 'Hi' }],
        tool_calls: [{ id: 'c', function: { name: 'f', arguments: 5 } }],
      }),
    ],
  ],
  Bedrock: [
    'my-bedrock',
    [
      bedrock('x'),
      bedrock({ text: 5 }),
      bedrock({ text: { value: 'x' } }),
      bedrock({ toolUse: 'f()' }),
      bedrock({ reasoningContent: 'x' }),
    ],
  ],
  responses: [
    'openai/gpt-5-pro',
    [
      response('x'),
      response({ type: 'message', content: 'x' }),
      response({ type: 'message', content: ['x'] }),
      response({ type: 'message', content: [{ type: 'output_text', text: 5 }] }),
      response({ type: 'function_call', call_id: 'c', name: 'f', arguments: { a: 1 } }),
      response({ type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a' }),
      { ...RESPONSE, error: { message: 'boom' } },
    ],
  ],
}
for (const [name, [model, answers]] of Object.entries(LOSSY))
  test(`${name}: a whole answer with a part of another type is refused`, async () => {
    for (const [at, body] of answers.entries()) {
      provider.always(status(200, body))
      const text = model.includes('/')
        ? await post('/v3/responses', { model, input: 'Hello' })
        : (await chat.whole({ ...HELLO, model: `${model}/lossy${at}` })).text
      assert.match(text, /"code":"upstream_error"/, `${JSON.stringify(body)} became ${text}`)
      assert.doesNotMatch(text, /pauses it for a moment/)
    }
  })

test('arguments that are a text instead of an object are arguments', async () => {
  const input = '{"city":"Bern"}'
  const call = { type: 'tool_use', id: 't', name: 'f', input }
  provider.next(status(200, { ...MESSAGE, content: [call] }))
  provider.next(stream([{ type: 'message_start', message: { ...MESSAGE, content: [call] } }, { type: 'message_stop' }]))
  const { completion } = await chat.whole({ ...HELLO, model: 'my-anthropic/x' })
  const streamed = messagesOf((await chat.stream({ ...HELLO, model: 'my-anthropic/x' })).chunks)
  for (const message of [completion.choices[0]!.message, streamed[0]] as { tool_calls: Fields[] }[])
    assert.deepEqual(message.tool_calls[0]!.function, { name: 'f', arguments: input })
})

test('arguments that are cut off fail a whole answer too, unless the limit of tokens cut them off', async () => {
  const cut = { tool_calls: [{ ...CALL, function: { name: 'f', arguments: '{"a":"b' } }] }
  const reply = (finish_reason: string) => status(200, { choices: [{ message: cut, finish_reason }] })
  provider.always(reply('tool_calls'))
  assert.equal((await chat.whole({ ...HELLO, model: 'my-openai/cut' })).status, 502)
  provider.always(reply('length'))
  const { completion } = await chat.whole({ ...HELLO, model: 'my-openai/cut' })
  assert.equal(completion.choices[0]?.finish_reason, 'length')
})

test('a caller with the format of the provider gets a whole answer as events of that format', async () => {
  provider.always(status(200, MESSAGE))
  const messages = await post('/v3/v1/messages', { model: 'my-anthropic/x', max_tokens: 9, ...HELLO, stream: true })
  for (const part of ['"server_tool_use"', '"signature":"EqRs"', '"text":"Hi."', '{\\"city\\":\\"Bern\\"}'])
    assert.ok(messages.includes(part), `${part} in ${messages}`)
  assert.match(messages, /"stop_reason":"tool_use"[\s\S]*event: message_stop/)
  provider.always(status(200, RESPONSE))
  const responses = await post('/v3/responses', { model: 'openai/gpt-5-pro', input: 'Hello', stream: true })
  for (const event of ['created', 'output_text.delta', 'function_call_arguments.done', 'completed'])
    assert.ok(responses.includes(`event: response.${event}\n`), `${event} in ${responses}`)
  assert.match(responses, /web_search_call/)
})

/** Without fields that are undefined or null. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, member) => member ?? undefined))
}
