import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readChatRequest, readJsonBody } from './chat-request.ts'
import { type Reply, replyTo } from './reply-to.ts'

const WEATHER = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['C', 'F'] } },
      required: ['city'],
    },
  },
}
const TIME = { type: 'function', function: { name: 'time' } }
const REQUEST = [user('Oslo')]
const IMAGE = { type: 'image_url', image_url: { url: 'data:,' } }

const TEXTS: Record<string, { messages: object[]; says: string }> = {
  'text parts': { messages: [user([text('one'), text('two')])], says: 'one\ntwo' },
  'an image': { messages: [user([text('Look'), IMAGE])], says: 'Look [1 image]' },
  'only attachments': {
    messages: [user([IMAGE, IMAGE, { type: 'file', file: {} }, { type: 'input_audio' }])],
    says: '[2 images] [1 file] [1 audio clip]',
  },
  'nothing said': { messages: [user('')], says: '' },
  'an assistant turn last': { messages: [...REQUEST, { role: 'assistant', content: 'So' }], says: 'Oslo' },
  'a tool result': {
    messages: [...REQUEST, { role: 'assistant', tool_calls: [] }, { role: 'tool', content: '18 °C' }],
    says: 'The tool answered: 18 °C',
  },
  'a legacy function result': {
    messages: [...REQUEST, { role: 'function', name: 'f', content: '18 °C' }],
    says: 'The tool answered: 18 °C',
  },
  'two tool results, one in parts': {
    messages: [
      { role: 'tool', content: 'one' },
      { role: 'tool', content: [text('two')] },
    ],
    says: 'The tool answered: one\ntwo',
  },
  'no user at all': {
    messages: [{ role: 'system', content: 'x' }],
    says: 'The sandbox echoes the last user message, and this conversation has none.',
  },
}

for (const [name, { messages, says }] of Object.entries(TEXTS)) {
  test(`says the right thing to ${name}`, () => {
    const tools = name.includes('tool') ? [WEATHER] : []
    assert.deepEqual(reply({ messages, tools }).answer, { kind: 'text', text: says })
  })
}

const LIMITS: Record<string, { body: object; content: string; finish: string }> = {
  'max_tokens cuts': { body: { max_tokens: 2 }, content: 'The quic', finish: 'length' },
  'max_completion_tokens wins': {
    body: { max_completion_tokens: 1, max_tokens: 2 },
    content: 'The ',
    finish: 'length',
  },
  'a limit that is not reached': { body: { max_tokens: 100 }, content: 'The quick brown fox', finish: 'stop' },
  'one stop sequence': { body: { stop: ' brown' }, content: 'The quick', finish: 'stop' },
  'the first of several': { body: { stop: ['fox', 'quick', 'cow'] }, content: 'The ', finish: 'stop' },
  'stop before the limit': { body: { stop: [' quick'], max_tokens: 1 }, content: 'The', finish: 'stop' },
}

for (const [name, { body, content, finish }] of Object.entries(LIMITS)) {
  test(`limits: ${name}`, () => {
    const { answer, finishReason, usage } = reply({ messages: [user('The quick brown fox')], ...body })
    assert.deepEqual([answer.text, finishReason], [content, finish])
    assert.deepEqual(usage, { promptTokens: 5, completionTokens: Math.ceil(content.length / 4) })
  })
}

test('usage counts every choice, and nothing as one token', () => {
  assert.deepEqual(reply({ messages: [user('')] }).usage, { promptTokens: 1, completionTokens: 1 })
  assert.deepEqual(reply({ messages: [user('12345')], n: 3 }).usage, { promptTokens: 2, completionTokens: 6 })
})

test('a cut never leaves half a character', () => {
  assert.equal(reply({ messages: [user('abc👋')], max_tokens: 1 }).answer.text, 'abc')
})

test('all choices together stay bounded', () => {
  const { answer, finishReason } = reply({ messages: [user('x'.repeat(1_000_000))], n: 100 })
  assert.deepEqual([answer.text.length, finishReason], [40_000, 'length'])
})

const TO_WEATHER = { kind: 'function', name: 'weather', text: '{"city":"Oslo"}' }
const TO_TIME = { kind: 'function', name: 'time', text: '{}' }
const CALLS: Record<string, { body: object; answer: object }> = {
  'the first tool': { body: { tools: [WEATHER, TIME], parallel_tool_calls: true }, answer: TO_WEATHER },
  'the first that has a name': { body: { tools: [{ type: 'web_search' }, TIME] }, answer: TO_TIME },
  'the forced tool': {
    body: { tools: [WEATHER, TIME], tool_choice: { type: 'function', function: { name: 'time' } } },
    answer: TO_TIME,
  },
  'an allowed tool': {
    body: {
      tools: [WEATHER, TIME],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [TIME] } },
    },
    answer: TO_TIME,
  },
  'a tool when one is required': { body: { tools: [TIME], tool_choice: 'required' }, answer: TO_TIME },
  'a custom tool': {
    body: { tools: [{ type: 'custom', custom: { name: 'shell' } }] },
    answer: { kind: 'custom', name: 'shell', text: 'Oslo' },
  },
  'no tool when none may be': { body: { tools: [TIME], tool_choice: 'none' }, answer: { kind: 'text', text: 'Oslo' } },
  'a legacy function': {
    body: { functions: [WEATHER.function, TIME.function] },
    answer: { ...TO_WEATHER, kind: 'legacy' },
  },
  'the forced legacy function': {
    body: { functions: [WEATHER.function, TIME.function], function_call: { name: 'time' } },
    answer: { ...TO_TIME, kind: 'legacy' },
  },
}

for (const [name, { body, answer }] of Object.entries(CALLS)) {
  test(`the model for tools calls ${name}`, () => {
    assert.deepEqual(reply({ model: 'tools', ...body }).answer, answer)
  })
}

test('the echo calls a tool only if it has to, also after a result', () => {
  const named = { type: 'function', function: { name: 'time' } }
  const free = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [TIME] } }
  const called = [...REQUEST, { role: 'tool', content: '18 °C' }]
  for (const messages of [REQUEST, called])
    for (const [choice, kind] of [
      [undefined, 'text'],
      ['auto', 'text'],
      ['none', 'text'],
      [free, 'text'],
      ['required', 'function'],
      [named, 'function'],
    ])
      assert.equal(reply({ messages, tools: [TIME], tool_choice: choice }).answer.kind, kind, JSON.stringify(choice))
  assert.equal(reply({ functions: [TIME.function] }).answer.kind, 'text')
  assert.equal(reply({ functions: [TIME.function], function_call: { name: 'time' } }).answer.kind, 'legacy')
  assert.equal(reply({ model: 'tools', messages: called, tools: [TIME] }).answer.kind, 'text')
})

test('a call is cut by the limit too', () => {
  const { answer, finishReason } = reply({ model: 'tools', tools: [WEATHER], max_tokens: 2 })
  assert.deepEqual([answer.text, finishReason], ['{"city":', 'length'])
})

test('answers in the asked format', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['age'],
  }
  const document = reply({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } })
  assert.equal(document.answer.text, '{"age":0}')
  assert.equal(reply({ response_format: { type: 'json_object' } }).answer.text, '{"echo":"Oslo"}')
})

function reply(body: object): Reply {
  const text = JSON.stringify({ model: 'echo', messages: REQUEST, ...body })
  const request = { method: 'POST', url: 'sandbox://local/chat/completions', headers: {}, body: text } as const
  return replyTo(readChatRequest(readJsonBody(request)), 0)
}

function user(content: unknown): object {
  return { role: 'user', content }
}

function text(words: string): object {
  return { type: 'text', text: words }
}
