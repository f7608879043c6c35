import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../contract/chat.ts'
import { DIALECTS, type DialectName } from './index.ts'
import type { ModelTraits, ThinkingTraits } from './model-traits.ts'
import { budgetBelow } from './thinking-budget.ts'

// A caller's cap covers reasoning and answer. Whatever a dialect sends, no limit and no budget in it is above the cap.

type Target = { dialect: DialectName; model: string; traits?: ModelTraits; compat?: object }

const CLAUDE: ThinkingTraits = { by: 'budget', minTokens: 1024 }
const TARGETS: Record<string, Target> = {
  Claude: { dialect: 'anthropic', model: 'claude-test', traits: { thinking: CLAUDE, maxOutput: 64_000 } },
  'an unknown Claude': { dialect: 'anthropic', model: 'claude-test' },
  'Claude on Bedrock': { dialect: 'bedrock', model: 'us.anthropic.claude-test-v1:0', traits: { thinking: CLAUDE } },
  'Nova on Bedrock': { dialect: 'bedrock', model: 'us.amazon.nova-2-lite-v1:0' },
  'Gemini 2.5 Flash': { dialect: 'gemini', model: 'g', traits: { thinking: { by: 'budget', maxTokens: 24_576 } } },
  'Gemini 2.5 Flash Lite': { dialect: 'gemini', model: 'g', traits: { thinking: { by: 'budget', minTokens: 512 } } },
  'an unknown Gemini': { dialect: 'gemini', model: 'g' },
  Cohere: { dialect: 'cohere', model: 'c', traits: { thinking: { by: 'budget' } } },
  Alibaba: { dialect: 'openai', model: 'q', compat: { thinking: 'enable_thinking' } },
  OpenRouter: { dialect: 'openai', model: 'q', compat: { thinking: 'reasoning' } },
  Fireworks: { dialect: 'openai', model: 'q', compat: { thinking: 'thinking_budget' } },
  OpenAI: { dialect: 'openai', model: 'q' },
}
const WISHES: Partial<ChatRequest>[] = [
  ...(['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const).map((reasoning_effort) => ({ reasoning_effort })),
  ...[1024, 4000, 100_000].map((budget_tokens) => ({ thinking: { type: 'enabled', budget_tokens } })),
]
const CAPS = [1, 2, 100, 513, 1024, 1025, 1500, 5000, 20_000]
const LIMITS = /^(max_?(output_?|completion_?)?tokens|(token|thinking)_?budget|budget_?tokens)$/i

describe('no limit that is sent is above the cap', () => {
  for (const [name, target] of Object.entries(TARGETS))
    test(name, () => {
      for (const cap of CAPS)
        for (const wish of WISHES)
          for (const field of ['max_tokens', 'max_completion_tokens'] as const) {
            const { body, text } = sent({ ...wish, [field]: cap }, target)
            const limits = limitsIn(body)
            assert.ok(limits.length > 0 && limits.every((limit) => limit <= cap), `${cap}: ${text}`)
            assert.ok(limits.includes(cap), `the cap itself is sent: ${text}`)
          }
    })
})

test('of the two names of the cap the newer one counts', () => {
  for (const [name, target] of Object.entries(TARGETS))
    assert.deepEqual(limitsIn(sent({ max_tokens: 7, max_completion_tokens: 9 }, target).body), [9], name)
})

test('a budget is lowered to leave half of the cap, and thinking is turned off below the smallest budget', () => {
  const wish = { reasoning_effort: 'high' as const }
  const thinking = (max_completion_tokens: number) => sent({ ...wish, max_completion_tokens }, TARGETS.Claude!)
  assert.deepEqual(thinking(3000).body.thinking, { type: 'enabled', budget_tokens: 1500 })
  assert.deepEqual(thinking(1025).body.thinking, { type: 'enabled', budget_tokens: 1024 })
  assert.deepEqual([thinking(100).body.thinking, thinking(100).body.max_tokens], [undefined, 100])
  assert.deepEqual(thinking(3000).noted, ['translated reasoning_effort'])
  assert.deepEqual(thinking(100).noted, ['dropped reasoning_effort'])
})

test('where thinking cannot be told to stop, the lowest setting is left', () => {
  const always: ModelTraits = { thinking: { by: 'budget', minTokens: 128, always: true } }
  const { body, noted } = sent(
    { reasoning_effort: 'high', max_tokens: 100 },
    { dialect: 'gemini', model: 'g', traits: always },
  )
  assert.deepEqual(body.generationConfig, {
    maxOutputTokens: 100,
    thinkingConfig: { thinkingBudget: 128, includeThoughts: false },
  })
  assert.deepEqual(noted, ['translated reasoning_effort'])
})

test('a turned-off budget is noted, in every dialect that has one', () => {
  const wish = { thinking: { type: 'enabled', budget_tokens: 4000 }, max_tokens: 1 }
  const withBudget = Object.entries(TARGETS).filter(([name]) => !/Nova|OpenAI/.test(name))
  for (const [name, target] of withBudget) assert.ok(sent(wish, target).noted.includes('dropped thinking'), name)
})

test('without a cap a budget is what was asked for', () => {
  assert.equal(budgetBelow(undefined, 4096, 1024), 4096)
})

function sent(fields: Partial<ChatRequest>, { dialect, model, traits, compat }: Target) {
  const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields }
  const target = { baseUrl: 'https://provider.test', model, traits, ...(compat && { compat }) }
  const { wire, notes } = DIALECTS[dialect].chat.encode({ request }, target)
  const text = String(wire.body)
  return { body: JSON.parse(text), text, noted: notes.map(({ action, field }) => `${action} ${field}`) }
}

function limitsIn(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    LIMITS.test(name) && typeof inner === 'number' ? [inner] : limitsIn(inner),
  )
}
