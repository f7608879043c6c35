import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../contract/chat.ts'
import { ReasoningMemory } from './reasoning-memory.ts'

test('thoughts are given back to their owner alone, whatever is in the names of owners and calls', () => {
  const memory = new ReasoningMemory(() => 0)
  memory.keep('acme corp', ['call_1'], [{ type: 'reasoning.text', text: 'secret' }])
  assert.ok('reasoning_details' in memory.recall('acme corp', asking('call_1')).messages[0]!)
  for (const [owner, call] of [['acme', 'corp call_1'] as const, ['other', 'call_1'] as const])
    assert.deepEqual(memory.recall(owner, asking(call)), asking(call), owner)
})

test('an owner that keeps very many does not make others forget theirs', () => {
  const memory = new ReasoningMemory(() => 0)
  memory.keep('small', ['call_1'], THOUGHTS)
  for (let call = 0; call < 6_000; call++) memory.keep('large', [`call_${call}`], THOUGHTS)
  assert.ok('reasoning_details' in memory.recall('small', asking('call_1')).messages[0]!)
  assert.ok('reasoning_details' in memory.recall('large', asking('call_5999')).messages[0]!)
  assert.deepEqual(memory.recall('large', asking('call_0')), asking('call_0'))
  assert.equal(memory.size, 5_000)
})

const THOUGHTS = [{ type: 'reasoning.text', text: 'so' }]

function asking(id: string): ChatRequest {
  const called = { id, type: 'function', function: { name: 'f', arguments: '{}' } }
  return { model: 'm', messages: [{ role: 'assistant', content: null, tool_calls: [called] }] }
}
