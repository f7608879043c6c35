import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messagesOf } from './content-messages.ts'

function parsed(kept: { request?: unknown; answer?: unknown }) {
  const { system, input, output, omitted } = messagesOf({ request: null, answer: null, ...kept })
  const read = (text: string | null) => (text === null ? null : JSON.parse(text))
  return { system: read(system), input: read(input), output: read(output), omitted }
}

const CALL = { type: 'tool_call', id: 'c1', name: 'find', arguments: '{"q":1}' }
const RESULT = { type: 'tool_call_response', id: 'c1', response: 'found' }

test('tools are calls and responses in every format', () => {
  const chat = parsed({
    request: {
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"q":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'found' },
      ],
    },
    answer: { choices: [{ content: '', tool_calls: [{ name: 'find', arguments: '{"q":1}' }] }] },
  })
  assert.deepEqual(chat.input, [
    { role: 'assistant', parts: [CALL] },
    { role: 'tool', parts: [RESULT] },
  ])
  assert.deepEqual(chat.output, [{ role: 'assistant', parts: [{ ...CALL, id: null }] }])
  const messages = parsed({
    request: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: 'found' },
            { type: 'image', source: {} },
          ],
        },
      ],
    },
    answer: {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'tool_use', id: 'c1', name: 'find', input: { q: 1 } },
      ],
      stop_reason: 'tool_use',
    },
  })
  assert.deepEqual(messages.input, [{ role: 'user', parts: [RESULT, { type: 'image' }] }])
  assert.deepEqual(messages.output, [
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'hm' },
        { ...CALL, arguments: { q: 1 } },
      ],
      finish_reason: 'tool_use',
    },
  ])
  const responses = parsed({
    request: { input: [{ type: 'function_call_output', call_id: 'c1', output: 'found' }] },
    answer: { output: [{ type: 'function_call', call_id: 'c1', name: 'find', arguments: '{"q":1}' }] },
  })
  assert.deepEqual(responses.input, [{ role: 'tool', parts: [RESULT] }])
  assert.deepEqual(responses.output, [{ role: 'assistant', parts: [CALL] }])
  const gemini = parsed({
    request: { contents: [{ role: 'model', parts: [{ functionCall: { id: 'c1', name: 'find', args: { q: 1 } } }] }] },
    answer: { candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }] },
  })
  assert.deepEqual(gemini.input, [{ role: 'assistant', parts: [{ ...CALL, arguments: { q: 1 } }] }])
  assert.deepEqual(gemini.output, [
    { role: 'assistant', parts: [{ type: 'text', content: 'ok' }], finish_reason: 'stop' },
  ])
  const completions = parsed({ request: { prompt: 'Once' }, answer: { choices: [{ text: ' upon' }] } })
  assert.deepEqual(completions.input, [{ role: 'user', parts: [{ type: 'text', content: 'Once' }] }])
  assert.deepEqual(completions.output, [{ role: 'assistant', parts: [{ type: 'text', content: ' upon' }] }])
})

test('of a long conversation the latest messages are sent, as valid JSON, and the others are counted', () => {
  const messages = Array.from({ length: 300 }, (_, i) => ({ role: 'user', content: `${i} ${'x'.repeat(1_000)}` }))
  const { input, omitted } = parsed({ request: { messages } })
  assert.ok(omitted > 0 && input.length + omitted === 300)
  assert.match(input.at(-1).parts[0].content, /^299 /)
  assert.ok(JSON.stringify(input).length <= 131_072)
})

test('what is no chat is nothing', () => {
  for (const odd of [null, undefined, 'text', 3, [], {}, { messages: null }, { choices: null }])
    assert.deepEqual(parsed({ request: odd, answer: odd }), { system: null, input: null, output: null, omitted: 0 })
  for (const odd of [{ messages: [null, 3, [], {}] }, { input: [{}] }, { contents: [{ parts: [null, 3, {}] }] }])
    assert.ok(Array.isArray(parsed({ request: odd }).input))
})
