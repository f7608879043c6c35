import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../contract/chat.ts'
import { packContent } from '../translation/dialects/packed-content.ts'
import { ReasoningMemory } from './reasoning-memory.ts'

test('reasoning is returned to its owner only, whatever the names of owners and calls contain', () => {
  const memory = new ReasoningMemory(() => 0)
  memory.keep('acme corp', ['call_1'], [{ type: 'reasoning.text', text: 'secret' }])
  assert.ok('reasoning_details' in memory.recall('acme corp', asking('call_1')).messages[0]!)
  for (const [owner, call] of [['acme', 'corp call_1'] as const, ['other', 'call_1'] as const])
    assert.deepEqual(memory.recall(owner, asking(call)), asking(call), owner)
})

test('an owner with many calls pushes out only its own reasoning', () => {
  const memory = new ReasoningMemory(() => 0)
  const reasoning = [{ type: 'reasoning.text', text: 'short' }]
  memory.keep('ben', ['call_1'], reasoning)
  memory.keep(
    'anna',
    Array.from({ length: 20_000 }, (_, index) => `call_${index}`),
    reasoning,
  )
  assert.ok('reasoning_details' in memory.recall('ben', asking('call_1')).messages[0]!)
  assert.equal(memory.size, 5_000)
})

test('what the provider did by itself comes back too, with the reasoning', () => {
  const memory = new ReasoningMemory(() => 0)
  const provider_content = { type: 'gemini', blocks: [{ type: 'part', part: { toolCall: { id: 's1' } } }] }
  const reasoning_details = [{ type: 'gemini.thought_signature', signature: 's' }]
  memory.keep('ben', ['call_1'], packContent({ reasoning_details, provider_content }))
  const [message] = memory.recall('ben', asking('call_1')).messages
  assert.deepEqual(message, { ...asking('call_1').messages[0], reasoning_details, provider_content })
})

function asking(id: string): ChatRequest {
  const called = { id, type: 'function', function: { name: 'f', arguments: '{}' } }
  return { model: 'm', messages: [{ role: 'assistant', content: null, tool_calls: [called] }] }
}

test('long reasoning is bounded by its bytes, not only by its number', () => {
  const memory = new ReasoningMemory(() => 0, 1_000_000)
  const reasoning = [{ type: 'reasoning.text', text: 'x'.repeat(50_000) }]
  for (let at = 0; at < 100; at++) memory.keep('anna', [`call_${at}`], reasoning)
  assert.equal(memory.size, 9)
  assert.ok('reasoning_details' in memory.recall('anna', asking('call_99')).messages[0]!)
})
