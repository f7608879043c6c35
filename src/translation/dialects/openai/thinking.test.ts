import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { ThinkingField, ThinkingTraits } from '../model-traits.ts'
import { encoded } from './fixtures/encoded.ts'

type Fields = Record<string, unknown>

const BUDGET = { thinking: { type: 'enabled', budget_tokens: 5000 } }
/** In the words of Google. */
const SHOWN = { thinking: { thinkingBudget: 5000, includeThoughts: true } }
const DYNAMIC = { thinking: { thinkingBudget: -1, includeThoughts: true } }
const NO_BUDGET = { thinking: { thinkingBudget: 0 } }
const OFF = { thinking: { type: 'disabled' } }
const HIGH = { reasoning_effort: 'high' as const }
const WORDS: ThinkingTraits = { by: 'effort', efforts: ['low', 'high', 'max'], byDefault: true }

/** The fields that replace `thinking` and `reasoning_effort`. */
const SENT: [field: ThinkingField, asked: Partial<ChatRequest>, how: ThinkingTraits | undefined, sent: Fields][] = [
  ['reasoning_effort', BUDGET, undefined, { reasoning_effort: 'medium' }],
  ['reasoning_effort', BUDGET, WORDS, { reasoning_effort: 'low' }],
  ['reasoning_effort', OFF, undefined, { reasoning_effort: 'none' }],
  ['reasoning_effort', { ...BUDGET, ...HIGH }, undefined, { reasoning_effort: 'high' }],
  ['reasoning_effort', BUDGET, { by: 'none' }, {}],
  ['thinking', BUDGET, undefined, { thinking: { type: 'enabled' } }],
  ['thinking', BUDGET, WORDS, { thinking: { type: 'enabled' }, reasoning_effort: 'low' }],
  ['thinking', HIGH, WORDS, { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
  ['thinking', { reasoning_effort: 'none' }, WORDS, { thinking: { type: 'disabled' } }],
  ['thinking', OFF, { ...WORDS, always: true }, { reasoning_effort: 'low' }],
  ['thinking', SHOWN, WORDS, { thinking: { type: 'enabled' }, reasoning_effort: 'low' }],
  ['thinking', NO_BUDGET, undefined, { thinking: { type: 'disabled' } }],
  [
    'thinking',
    { thinking: { type: 'auto', clear_thinking: false } },
    undefined,
    { thinking: { type: 'auto', clear_thinking: false } },
  ],
  ['thinking_budget', { ...BUDGET, ...HIGH }, undefined, BUDGET],
  ['thinking_budget', HIGH, undefined, HIGH],
  ['thinking_budget', SHOWN, undefined, BUDGET],
  ['thinking_budget', DYNAMIC, undefined, { reasoning_effort: 'medium' }],
  ['thinking_budget', NO_BUDGET, undefined, { reasoning_effort: 'none' }],
  ['enable_thinking', BUDGET, undefined, { enable_thinking: true, thinking_budget: 5000 }],
  ['enable_thinking', HIGH, undefined, { enable_thinking: true, thinking_budget: 4096 }],
  ['enable_thinking', { reasoning_effort: 'disable' }, undefined, { enable_thinking: false }],
  ['reasoning', BUDGET, undefined, { reasoning: { max_tokens: 5000 } }],
  ['reasoning', { reasoning_effort: 'max' }, undefined, { reasoning: { effort: 'xhigh' } }],
  ['reasoning', OFF, undefined, { reasoning: { effort: 'none' } }],
  ['reasoning_enabled', BUDGET, undefined, { reasoning: { enabled: true } }],
  ['reasoning_enabled', OFF, WORDS, { reasoning: { enabled: false } }],
  ['chat_template_kwargs', OFF, undefined, { chat_template_kwargs: { enable_thinking: false, thinking: false } }],
  [
    'chat_template_kwargs',
    HIGH,
    undefined,
    { chat_template_kwargs: { enable_thinking: true, thinking: true }, reasoning_effort: 'high' },
  ],
]

for (const [thinking, request, how, sent] of SENT)
  test(`controlled by ${thinking}: ${JSON.stringify(request)} of ${JSON.stringify(how ?? 'an unknown model')}`, () => {
    const { body, noted } = encoded(request, { compat: { thinking }, ...(how && { traits: { thinking: how } }) })
    const { model: _, messages: __, ...reported } = body
    assert.deepEqual(reported, sent)
    // A caller who set a budget gets a note about it.
    if (request.thinking?.budget_tokens && !('thinking' in sent && request.thinking === sent.thinking))
      assert.ok(
        noted.some((note) => note.endsWith(' thinking')),
        String(noted),
      )
  })

test('the traits of a model override what is known of its provider', () => {
  const how = { by: 'effort', field: 'reasoning_effort' } as const
  const { body } = encoded(BUDGET, { compat: { thinking: 'thinking' }, traits: { thinking: how } })
  assert.deepEqual([body.thinking, body.reasoning_effort], [undefined, 'medium'])
})

describe('fields that a model refuses only while it thinks', () => {
  const traits = {
    refusesWhileThinking: ['temperature'],
    thinking: { by: 'effort', efforts: ['none', 'high'] } as const,
  }
  const cases: [Partial<ChatRequest>, boolean][] = [
    [{}, true],
    [{ reasoning_effort: 'none' }, true],
    [OFF, true],
    [HIGH, false],
    [BUDGET, false],
  ]
  for (const [request, stays] of cases)
    test(`${JSON.stringify(request)}: ${stays ? 'stays' : 'goes, with a note'}`, () => {
      const { body, noted } = encoded({ ...request, temperature: 0.5 }, { traits })
      assert.equal(body.temperature, stays ? 0.5 : undefined)
      assert.equal(noted.includes('dropped temperature'), !stays)
    })

  test('a model that thinks by default thinks if nothing is set', () => {
    const byDefault = { ...traits, thinking: { ...traits.thinking, byDefault: true } }
    assert.equal(encoded({ temperature: 0.5 }, { traits: byDefault }).body.temperature, undefined)
    assert.equal(encoded({ ...OFF, temperature: 0.5 }, { traits: byDefault }).body.temperature, 0.5)
  })
})

test('for a model that does not think together with tools, thinking is turned off, with a note', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  const traits = { lacks: ['thinking_with_tools'] as const, refusesWhileThinking: ['temperature'] }
  const { body, noted } = encoded({ ...HIGH, tools, temperature: 1 }, { traits })
  assert.deepEqual([body.reasoning_effort, body.temperature], ['none', 1])
  assert.deepEqual(noted, ['translated reasoning_effort'])
  assert.equal(encoded(HIGH, { traits }).body.reasoning_effort, 'high')
})
