import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatChunk, ChatCompletion } from '../../contract/chat-reply.ts'
import { toLegacyAnswer, usesLegacyFunctions, LegacyFunctionsDecoder } from './legacy-functions.ts'

const messages = [{ role: 'user' as const, content: 'Hi' }]
const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }

test('a request with functions and without tools uses the legacy function calls', () => {
  assert.equal(usesLegacyFunctions({ model: 'a/b', messages, functions: [{ name: 'f' }] }), true)
  assert.equal(usesLegacyFunctions({ model: 'a/b', messages, functions: [{ name: 'f' }], tools: [{}] }), false)
  assert.equal(usesLegacyFunctions({ model: 'a/b', messages, functions: [] }), false)
})

test('an answer gets the first tool call as function_call, with the finish reason that old clients know', () => {
  const completion = {
    choices: [
      { index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' },
      { index: 1, message: { role: 'assistant', content: 'text' }, finish_reason: 'stop' },
    ],
  } as unknown as ChatCompletion
  const [one, other] = toLegacyAnswer(completion).choices
  assert.deepEqual(one!.message.function_call, call.function)
  assert.ok(!('tool_calls' in one!.message))
  assert.deepEqual([one!.finish_reason, other!.finish_reason], ['function_call', 'stop'])
})

test('a stream gets the pieces of the first tool call, and nothing of the others', () => {
  const pieces = [
    { index: 0, delta: { role: 'assistant', tool_calls: [{ index: 0, ...call }] }, finish_reason: null },
    { index: 0, delta: { tool_calls: [{ index: 1, ...call }] }, finish_reason: null },
    { index: 0, delta: {}, finish_reason: 'tool_calls' },
  ]
  const chunks = pieces.map((choice) => ({ choices: [choice] }) as unknown as ChatChunk)
  const inner = { feed: () => chunks, ended: true, done: false, malformed: 2 }
  const decoder = new LegacyFunctionsDecoder(inner)
  const deltas = decoder.feed({ data: '' }).map(({ choices }) => [choices[0]!.delta, choices[0]!.finish_reason])
  assert.deepEqual(deltas, [
    [{ role: 'assistant', function_call: call.function }, null],
    [{}, null],
    [{}, 'function_call'],
  ])
  assert.deepEqual([decoder.ended, decoder.done, decoder.malformed], [true, false, 2])
})
