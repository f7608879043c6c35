import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { ModelTraits } from '../model-traits.ts'
import { encoded } from './fixtures/encoded.ts'
import { anthropic } from './index.ts'

const BUDGET: ModelTraits = { thinking: { by: 'budget' }, maxOutput: 64_000 }
const ADAPTIVE: ModelTraits = { thinking: { by: 'adaptive', efforts: ['low', 'medium', 'high', 'max'] } }
const BY_DEFAULT: ModelTraits = { thinking: { by: 'adaptive', byDefault: true } }
const ALWAYS: ModelTraits = { thinking: { by: 'adaptive', byDefault: true, always: true } }
const NONE: ModelTraits = { thinking: { by: 'none' } }

const SUMMARIZED = { type: 'adaptive', display: 'summarized' }

type Effort = NonNullable<ChatRequest['reasoning_effort']>

describe('reasoning_effort', () => {
  const budgets: [Effort, number | undefined][] = [
    ...([
      ['none', undefined],
      ['disable', undefined],
      ['minimal', 1024],
      ['low', 1024],
    ] as const),
    ...([
      ['medium', 2048],
      ['high', 4096],
      ['xhigh', 8192],
      ['max', 16_384],
    ] as const),
  ].map(([word, tokens]) => [word, tokens])
  for (const [reasoning_effort, tokens] of budgets) {
    test(`${reasoning_effort} is a budget of ${tokens} tokens`, () => {
      const { body } = encoded({ reasoning_effort }, BUDGET)
      assert.deepEqual(body.thinking, tokens && { type: 'enabled', budget_tokens: tokens })
      assert.equal(body.output_config, undefined)
    })
  }

  const efforts: [Effort, string][] = [
    ['minimal', 'low'],
    ['low', 'low'],
    ['medium', 'medium'],
    ['high', 'high'],
    ['xhigh', 'high'],
    ['max', 'max'],
  ]
  for (const [reasoning_effort, effort] of efforts) {
    test(`${reasoning_effort} is the effort ${effort} of a model that knows low, medium, high and max`, () => {
      const { body, noted } = encoded({ reasoning_effort }, ADAPTIVE)
      assert.deepEqual(body.thinking, { type: 'adaptive', display: 'summarized' })
      assert.deepEqual(body.output_config, { effort })
      assert.deepEqual(noted, effort === reasoning_effort ? [] : ['translated reasoning_effort'])
    })
  }

  test('none sends nothing, or turns thinking off if it is the default, or sets the lowest effort', () => {
    assert.equal(encoded({ reasoning_effort: 'none' }, ADAPTIVE).body.thinking, undefined)
    assert.deepEqual(encoded({ reasoning_effort: 'disable' }, BY_DEFAULT).body.thinking, { type: 'disabled' })
    const { body, noted } = encoded({ reasoning_effort: 'none' }, ALWAYS)
    assert.deepEqual([body.thinking, body.output_config], [undefined, { effort: 'low' }])
    assert.deepEqual(noted, ['translated reasoning_effort'])
  })

  test('a model that cannot think gets no setting; an unknown one is treated as adaptive', () => {
    const { body, noted } = encoded(
      { reasoning_effort: 'high', thinking: { type: 'enabled', budget_tokens: 2000 } },
      NONE,
    )
    assert.equal(body.thinking, undefined)
    assert.deepEqual(noted, ['dropped thinking', 'dropped reasoning_effort'])
    assert.deepEqual(encoded({ reasoning_effort: 'none' }, NONE).noted, [])
    assert.deepEqual(encoded({ reasoning_effort: 'xhigh' }).body.output_config, { effort: 'xhigh' })
  })
})

describe('thinking objects', () => {
  test('are sent unchanged to models that accept them', () => {
    const thinking = { type: 'enabled', budget_tokens: 5000, display: 'omitted' }
    assert.deepEqual(encoded({ thinking }, BUDGET).body.thinking, thinking)
    for (const type of ['adaptive', 'between_tools'])
      assert.deepEqual(encoded({ thinking: { type } }, ADAPTIVE).body.thinking, { type })
    assert.deepEqual(encoded({ thinking: { type: 'disabled' } }, BY_DEFAULT).body.thinking, { type: 'disabled' })
    assert.deepEqual(encoded({ thinking }).body.thinking, thinking)
  })

  test('become efforts that the model supports, with a note', () => {
    const budget = encoded({ thinking: { type: 'enabled', budget_tokens: 5000 } }, ADAPTIVE)
    assert.deepEqual(budget.body.thinking, { type: 'adaptive', display: 'summarized' })
    assert.deepEqual(budget.body.output_config, { effort: 'medium' })
    const adaptive = encoded({ thinking: { type: 'adaptive' }, reasoning_effort: 'high' }, BUDGET)
    assert.deepEqual(adaptive.body.thinking, { type: 'enabled', budget_tokens: 4096 })
    const stopped = encoded({ thinking: { type: 'disabled' } }, ALWAYS)
    assert.deepEqual(stopped.body.thinking, undefined)
    for (const { noted } of [budget, adaptive, stopped]) assert.deepEqual(noted, ['translated thinking'])
  })

  test('in the words of Google or Cohere become those of Claude', () => {
    const cases: [object, ModelTraits | undefined, object | undefined, Effort | undefined][] = [
      [{ thinkingBudget: 2000, includeThoughts: true }, BUDGET, { type: 'enabled', budget_tokens: 2000 }, undefined],
      [{ thinkingLevel: 'HIGH' }, BUDGET, { type: 'enabled', budget_tokens: 4096 }, undefined],
      [{ type: 'enabled', token_budget: 2000 }, BUDGET, { type: 'enabled', budget_tokens: 2000 }, undefined],
      [{ thinkingBudget: 0 }, BY_DEFAULT, { type: 'disabled' }, undefined],
    ]
    for (const traits of [ADAPTIVE, undefined])
      cases.push(
        [{ thinkingBudget: -1, includeThoughts: true }, traits, SUMMARIZED, undefined],
        [{ include_thoughts: true, thinking_level: 'low' }, traits, SUMMARIZED, 'low'],
        [{ type: 'enabled', token_budget: 5000 }, traits, SUMMARIZED, 'medium'],
      )
    for (const [thinking, traits, sent, effort] of cases) {
      const { body } = encoded({ thinking: { ...thinking } }, traits)
      assert.deepEqual([body.thinking, body.output_config], [sent, effort && { effort }], JSON.stringify(thinking))
    }
  })

  test('budgets keep to the bounds of the model', () => {
    const traits: ModelTraits = { thinking: { by: 'budget', maxTokens: 3000, summaryOnRequest: true } }
    assert.deepEqual(encoded({ reasoning_effort: 'max' }, traits).body.thinking, {
      type: 'enabled',
      budget_tokens: 3000,
      display: 'summarized',
    })
    const { body, noted } = encoded({ thinking: { type: 'enabled', budget_tokens: 5 } }, BUDGET)
    assert.deepEqual(body.thinking, { type: 'enabled', budget_tokens: 1024 })
    assert.deepEqual(noted, ['translated thinking'])
  })
})

describe('max_tokens', () => {
  test("is the caller's, the model's or ours, and not above the model's", () => {
    assert.equal(encoded({ max_tokens: 7, max_completion_tokens: 9 }).body.max_tokens, 9)
    assert.equal(encoded({}, { maxOutput: 64_000 }).body.max_tokens, 64_000)
    assert.equal(encoded({}).body.max_tokens, 4096)
    const { body, noted } = encoded({ max_tokens: 100_000 }, { maxOutput: 64_000 })
    assert.deepEqual([body.max_tokens, noted], [64_000, ['translated max_tokens']])
    assert.equal('max_completion_tokens' in body, false)
  })

  test("is raised above the budget if it is not the caller's, as far as the model goes", () => {
    const raised = encoded({ reasoning_effort: 'max' }, { thinking: { by: 'budget' } })
    assert.deepEqual([raised.body.max_tokens, raised.noted], [20_480, []])
    const narrow = encoded({ reasoning_effort: 'max' }, { ...BUDGET, maxOutput: 8000 })
    assert.deepEqual([narrow.body.max_tokens, narrow.body.thinking], [8000, { type: 'enabled', budget_tokens: 4000 }])
    const none = encoded({ reasoning_effort: 'low' }, { ...BUDGET, maxOutput: 1000 })
    assert.deepEqual([none.body.thinking, none.noted], [undefined, ['dropped reasoning_effort']])
  })
})

describe('fields that conflict with thinking', () => {
  test('sampling gives way to it', () => {
    const { body, noted } = encoded({ reasoning_effort: 'high', temperature: 0.2, top_p: 0.9, top_k: 5 }, BUDGET)
    assert.deepEqual([body.temperature, body.top_p, body.top_k], [undefined, undefined, undefined])
    assert.deepEqual(noted, ['dropped temperature', 'dropped top_p', 'dropped top_k'])
  })

  test('within a budget it gives way to a forced tool', () => {
    const tools = [{ type: 'function', function: { name: 'a' } }]
    const { body, noted } = encoded({ reasoning_effort: 'high', tools, tool_choice: 'required' }, BUDGET)
    assert.deepEqual([body.thinking, body.tool_choice], [undefined, { type: 'any' }])
    assert.deepEqual(noted, ['dropped thinking'])
  })
})

describe('reasoning that survives a tool turn', () => {
  const [choice] = anthropic.chat.decode(
    readFileSync(join(import.meta.dirname, 'fixtures', 'thinking-tools.json'), 'utf8'),
  ).choices
  const result = { role: 'tool', tool_call_id: 'toolu_01A', content: 'sun' }
  const before = { role: 'user', content: 'Weather?' }

  test('the message of a reply goes back unchanged: reasoning first, then text, then calls', () => {
    const { body, noted } = encoded(
      { messages: [before, choice!.message, result] as ChatRequest['messages'], reasoning_effort: 'high' },
      BUDGET,
    )
    assert.deepEqual(
      body.messages[1]?.content.map(({ type }) => type),
      ['thinking', 'text', 'tool_use'],
    )
    assert.partialDeepStrictEqual(body.messages[1]?.content[0], {
      thinking: choice!.message.reasoning_content,
      signature: 'EqQBCkYIBRgCKkBs1gn4tUeLQ==',
    })
    assert.ok(body.thinking)
    assert.deepEqual(noted, [])
  })

  test('thinking_blocks, as other gateways name them, are taken too', () => {
    const thinking_blocks = [
      { type: 'thinking', thinking: 'Hm', signature: 'Sg' },
      { type: 'redacted_thinking', data: 'Rd' },
    ]
    const { tool_calls } = choice!.message
    const messages = [before, { role: 'assistant', tool_calls, thinking_blocks }, result]
    const { body } = encoded({ messages: messages as ChatRequest['messages'], reasoning_effort: 'high' }, BUDGET)
    assert.deepEqual(body.messages[1]?.content.slice(0, 2), thinking_blocks)
  })

  test('lost, they end the thinking within a budget, with a note; adaptive thinking goes on', () => {
    const { reasoning_content, tool_calls } = choice!.message
    const messages = [before, { role: 'assistant', reasoning_content, tool_calls }, result] as ChatRequest['messages']
    const { body, noted } = encoded({ messages, reasoning_effort: 'high' }, BUDGET)
    assert.equal(body.thinking, undefined)
    assert.deepEqual(noted, ['dropped thinking', 'dropped messages.reasoning_content'])
    assert.ok(encoded({ messages, reasoning_effort: 'high' }, ADAPTIVE).body.thinking)
  })

  test('lost before an answer that said nothing, they end it, too', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'x' },
      { role: 'assistant', content: ' ' },
      { role: 'user', content: 'So?' },
    ]
    assert.equal(encoded({ messages, reasoning_effort: 'low' }, BUDGET).body.thinking, undefined)
  })

  test('they are not sent to a request that does not think', () => {
    const messages = [before, choice!.message, result] as ChatRequest['messages']
    for (const traits of [BUDGET, NONE])
      assert.deepEqual(
        encoded({ messages }, traits).body.messages[1]?.content.map(({ type }) => type),
        ['text', 'tool_use'],
      )
    assert.equal(encoded({ messages }, BY_DEFAULT).body.messages[1]?.content[0]?.type, 'thinking')
  })
})
