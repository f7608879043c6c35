import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../../../../test/soak/sample.ts'
import type { ChatRequest, ContentPart } from '../../../contract/chat.ts'
import { chatBody } from '../../../contract/fixtures/chat-bodies.ts'
import type { Ability } from './ability.ts'
import { ask } from './fixtures/routing-services.ts'
import { needsOf } from './needs-of.ts'

const TOOL = { type: 'function', function: { name: 'look', parameters: {} } }
const SCHEMA = { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } }

describe('abilities', () => {
  const cases: [string, ChatRequest, Ability[]][] = [
    ['plain text', ask('Hi'), []],
    ['an image', withPart({ type: 'image_url', image_url: { url: 'https://example.test/a.png' } }), ['vision']],
    ['an image, named the old way', withPart({ type: 'image_url', image_url: 'data:image/png;base64,AA' }), ['vision']],
    ['a file', withPart({ type: 'file', file: { file_id: 'https://example.test/a.pdf' } }), ['files']],
    ['sound', withPart({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }), ['audio_input']],
    ['a spoken answer', ask('Hi', { modalities: ['text', 'audio'] }), ['audio_output']],
    ['a voice', ask('Hi', { audio: { voice: 'alloy', format: 'wav' } }), ['audio_output']],
    ['a drawn answer', ask('Hi', { modalities: ['image'] }), ['image_output']],
    ['tools', ask('Hi', { tools: [TOOL] }), ['tools']],
    ['functions, as tools were called', ask('Hi', { functions: [TOOL.function] }), ['tools']],
    ['an empty list of tools', ask('Hi', { tools: [], functions: [] }), []],
    ['a schema', ask('Hi', { response_format: SCHEMA }), ['json_schema']],
    ['any JSON object', ask('Hi', { response_format: { type: 'json_object' } }), []],
    ['a schema beside tools', both(), ['tools', 'json_schema', 'json_schema_with_tools']],
    ['a search', ask('Hi', { web_search_options: {} }), ['web_search']],
    ['a stream', ask('Hi', { stream: true }), ['streaming']],
    ['nulls', ask('Hi', { stream: null, tools: null, modalities: null, response_format: null, audio: null }), []],
  ]
  for (const [name, request, abilities] of cases) {
    test(name, () => assert.deepEqual(needsOf(request).abilities, abilities))
  }
})

test('text is estimated by its script', () => {
  assert.equal(needsOf(ask('word'.repeat(1_000))).promptTokens, 1_004)
  assert.equal(needsOf(ask('漢字'.repeat(500))).promptTokens, 1_004)
  assert.equal(needsOf(ask('Слов'.repeat(500))).promptTokens, 1_004)
})

test('everything that is sent counts: all messages, parts, earlier calls, tools, schema', () => {
  const little = needsOf(ask('Hi')).promptTokens
  const text = 'x'.repeat(4_000)
  const longer: ChatRequest[] = [
    { ...ask('Hi'), messages: [{ role: 'system', content: text }, ...ask('Hi').messages] },
    withPart({ type: 'text', text }),
    withPart({ type: 'file', file: { file_data: 'A'.repeat(64_000) } }),
    withPart({ type: 'input_audio', input_audio: { data: 'A'.repeat(1_000_000) } }),
    withPart({ type: 'image_url', image_url: 'https://example.test/a.png' }),
    { ...ask('Hi'), messages: [{ role: 'assistant', tool_calls: [{ function: { arguments: text } }] }] },
    ask('Hi', { tools: [{ function: { description: text } }] }),
    ask('Hi', { response_format: { type: 'json_schema', json_schema: { [text]: 1 } } }),
  ]
  for (const request of longer)
    assert.ok(needsOf(request).promptTokens >= little + 990, JSON.stringify(request).slice(0, 80))
})

test('an answer is as long as usual, unless the caller limits it; thinking and several answers make it longer', () => {
  const expected = (rest: Partial<ChatRequest>) => needsOf(ask('Hi', rest)).expectedOutputTokens
  assert.equal(expected({}), 500)
  assert.equal(expected({ max_tokens: 10 }), 10)
  assert.equal(expected({ max_tokens: 10, max_completion_tokens: 20 }), 20)
  assert.equal(expected({ max_tokens: 10, n: 3 }), 30)
  assert.equal(expected({ max_tokens: 100_000 }), 500)
  assert.equal(expected({ verbosity: 'high' }), 1_200)
  assert.equal(expected({ reasoning_effort: 'high' }), 8_500)
  assert.equal(expected({ thinking: { type: 'enabled', budget_tokens: 4_000 } }), 4_500)
})

test('reasoning is wanted if it is requested, not if it is turned off', () => {
  const wants = (rest: Partial<ChatRequest>) => needsOf(ask('Hi', rest)).reasoning
  for (const effort of ['low', 'medium', 'high', 'xhigh', 'max'] as const)
    assert.ok(wants({ reasoning_effort: effort }))
  for (const effort of ['none', 'disable', 'minimal'] as const) assert.ok(!wants({ reasoning_effort: effort }))
  assert.ok(wants({ thinking: { type: 'enabled' } }))
  assert.ok(!wants({ thinking: { type: 'disabled' } }))
})

test('tools of any depth are read without running out of stack', () => {
  let deep: Record<string, unknown> = {}
  for (let depth = 0; depth < 100_000; depth++) deep = { deep }
  assert.ok(needsOf(ask('Hi', { tools: [deep] })).promptTokens < 1_000)
})

test('any valid request has finite needs', () => {
  fc.assert(
    fc.property(chatBody, (body) => {
      const { promptTokens, expectedOutputTokens, audioTokens } = needsOf(body as unknown as ChatRequest)
      for (const tokens of [promptTokens, expectedOutputTokens, audioTokens]) {
        assert.ok(Number.isFinite(tokens) && tokens >= 0, String(tokens))
      }
      assert.ok(audioTokens <= promptTokens)
    }),
    { numRuns: sample(60, 300) },
  )
})

function withPart(part: ContentPart): ChatRequest {
  return { model: '@service', messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }] }
}

function both(): ChatRequest {
  return ask('Hi', { tools: [TOOL], response_format: SCHEMA })
}
