import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { ThinkingTraits } from '../model-traits.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { Notes } from '../notes.ts'
import { toThinking } from './thinking.ts'

type Effort = NonNullable<ChatRequest['reasoning_effort']>
const EFFORTS: Effort[] = ['none', 'disable', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

const FLASH: ThinkingTraits = { by: 'budget', minTokens: 0, maxTokens: 24_576, byDefault: true }
const PRO: ThinkingTraits = { by: 'budget', minTokens: 128, maxTokens: 32_768, always: true }
const LITE: ThinkingTraits = { by: 'budget', minTokens: 512, maxTokens: 24_576 }

describe('by budget', () => {
  test('each of the eight efforts has a budget within the limits of the model', () => {
    const budgets = (traits: ThinkingTraits | undefined) =>
      EFFORTS.map((reasoning_effort) => thinking({ reasoning_effort }, traits).config?.thinkingBudget)
    assert.deepEqual(budgets(FLASH), [0, 0, 1024, 1024, 8192, 24_576, 24_576, 24_576])
    assert.deepEqual(budgets(PRO), [128, 128, 1024, 1024, 8192, 24_576, 32_768, 32_768])
    assert.deepEqual(budgets(LITE), [0, 0, 1024, 1024, 8192, 24_576, 24_576, 24_576])
    assert.deepEqual(budgets(undefined), budgets(FLASH))
  })

  test('reasoning is shown unless the caller turns it off', () => {
    assert.equal(thinking({ reasoning_effort: 'low' }, FLASH).config?.includeThoughts, true)
    assert.deepEqual(thinking({ reasoning_effort: 'none' }, FLASH).config, { thinkingBudget: 0 })
    const { config, notes } = thinking({ reasoning_effort: 'none' }, PRO)
    assert.deepEqual(config, { thinkingBudget: 128, includeThoughts: false })
    assert.equal(notes[0]?.field, 'reasoning_effort')
  })

  test('an object of tokens, within the bounds of the model', () => {
    const budget = (options: object, traits = LITE) =>
      thinking({ thinking: options as Record<string, unknown> }, traits)
    assert.deepEqual(budget({ type: 'enabled', budget_tokens: 2000 }).config, {
      thinkingBudget: 2000,
      includeThoughts: true,
    })
    assert.equal(budget({ type: 'enabled', budget_tokens: 99_999 }).config?.thinkingBudget, 24_576)
    assert.equal(budget({ type: 'enabled', budget_tokens: 9 }).config?.thinkingBudget, 512)
    assert.equal(budget({ type: 'enabled', budget_tokens: 9 }).notes.length, 1)
    assert.deepEqual(budget({ thinkingBudget: -1, includeThoughts: false }).config, {
      thinkingBudget: -1,
      includeThoughts: false,
    })
    assert.deepEqual(budget({ thinking_budget: 0 }).config, { thinkingBudget: 0 })
    assert.deepEqual(budget({ type: 'disabled' }).config, { thinkingBudget: 0 })
    assert.deepEqual(budget({ type: 'disabled' }, PRO).config, { thinkingBudget: 128, includeThoughts: false })
    assert.deepEqual(budget({ type: 'enabled' }).config, { thinkingBudget: -1, includeThoughts: true })
    assert.equal(budget({ effort: 'constructor' }).config?.thinkingBudget, 24_576)
  })
})

describe('by level', () => {
  const levels = (efforts?: string[]) =>
    EFFORTS.map(
      (reasoning_effort) =>
        thinking({ reasoning_effort }, { by: 'level', ...(efforts && { efforts }) }).config?.thinkingLevel,
    )

  test('all eight efforts become the nearest one that the model supports', () => {
    const all = ['minimal', 'minimal', 'minimal', 'low', 'medium', 'high', 'high', 'high']
    assert.deepEqual(levels(), all)
    assert.deepEqual(levels(['minimal', 'low', 'medium', 'high']), all)
    assert.deepEqual(levels(['low', 'medium', 'high']), ['low', 'low', 'low', 'low', 'medium', 'high', 'high', 'high'])
    assert.deepEqual(levels(['low', 'high']), ['low', 'low', 'low', 'low', 'high', 'high', 'high', 'high'])
  })

  test('changes are noted', () => {
    const traits: ThinkingTraits = { by: 'level', efforts: ['low', 'high'] }
    for (const reasoning_effort of ['none', 'minimal', 'medium', 'max'] as const)
      assert.equal(thinking({ reasoning_effort }, traits).notes.length, 1, reasoning_effort)
    assert.deepEqual(thinking({ reasoning_effort: 'low' }, traits), {
      config: { thinkingLevel: 'low', includeThoughts: true },
      notes: [],
    })
    assert.equal(thinking({ reasoning_effort: 'none' }, traits).config?.includeThoughts, false)
  })

  test('a budget becomes a level; never both', () => {
    const level = (budget_tokens: number) =>
      thinking({ thinking: { type: 'enabled', budget_tokens } }, { by: 'level' }).config
    assert.deepEqual(
      [1024, 8000, 30_000].map((tokens) => level(tokens)?.thinkingLevel),
      ['low', 'medium', 'high'],
    )
    assert.deepEqual(level(-1), { includeThoughts: true })
    assert.equal(level(0)?.thinkingLevel, 'minimal')
    assert.ok(!('thinkingBudget' in level(1024)!))
  })
})

test('a model that does not think: nothing for none, a note for more', () => {
  assert.deepEqual(thinking({ reasoning_effort: 'none' }, { by: 'none' }), { config: undefined, notes: [] })
  const { config, notes } = thinking({ reasoning_effort: 'high' }, { by: 'none' })
  assert.deepEqual([config, notes[0]?.action], [undefined, 'dropped'])
})

test('an object wins over a word, unless it leaves the amount open', () => {
  const both = thinking({ reasoning_effort: 'high', thinking: { budget_tokens: 600 } }, FLASH)
  assert.deepEqual([both.config?.thinkingBudget, both.notes[0]?.field], [600, 'reasoning_effort'])
  const open = thinking({ reasoning_effort: 'medium', thinking: { type: 'adaptive', includeThoughts: false } }, FLASH)
  assert.deepEqual(open, { config: { thinkingBudget: 8192, includeThoughts: false }, notes: [] })
  assert.deepEqual(thinking({}, FLASH), { config: undefined, notes: [] })
})

function thinking(fields: Partial<RequestFields>, traits: ThinkingTraits | undefined) {
  const notes = new Notes()
  return { config: toThinking({ model: 'm', messages: [], ...fields }, traits, notes), notes: notes.list }
}
