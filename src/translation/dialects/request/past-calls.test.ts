import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PastCalls } from './past-calls.ts'

test('an id that a maker used twice becomes two, and results belong to the last call with it', () => {
  const calls = new PastCalls('Anthropic')
  const message = { role: 'assistant' as const, tool_calls: [{ id: 'f:0', function: { name: 'f', arguments: '{}' } }] }
  const result = { role: 'tool' as const, tool_call_id: 'f:0', content: 'x' }
  const ids = [0, 2, 4].flatMap((at) => [calls.made(message, at)[0]!.id, calls.answered(result, at + 1).id])
  assert.deepEqual(ids, ['f:0', 'f:0', 'f:0_2', 'f:0_2', 'f:0_3', 'f:0_3'])
})
