import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { ThinkingTraits } from '../model-traits.ts'
import { bedrock } from './index.ts'
import { vendorInName, vendorOf } from './vendor.ts'

type Fields = Record<string, unknown>

const CLAUDE = 'us.anthropic.claude-test-v1:0'
const TOOLS = [{ type: 'function', function: { name: 'f' } }]

describe('Claude with an adaptive mind', () => {
  const adaptive: ThinkingTraits = { by: 'adaptive', efforts: ['low', 'medium', 'high'], summaryOnRequest: true }
  const on = { type: 'adaptive', display: 'summarized' }

  test('an effort, as near as the model knows it; a model of which nothing is known is one of these', () => {
    assert.deepEqual(additional({ reasoning_effort: 'medium' }, adaptive), {
      thinking: on,
      output_config: { effort: 'medium' },
    })
    assert.deepEqual(additional({ reasoning_effort: 'xhigh' }, adaptive), {
      thinking: on,
      output_config: { effort: 'high' },
    })
    assert.deepEqual(notes({ reasoning_effort: 'xhigh' }, adaptive), ['translated reasoning_effort'])
    assert.deepEqual(additional({ reasoning_effort: 'minimal' }), { thinking: on, output_config: { effort: 'low' } })
  })

  test('a budget becomes an effort; the format of Claude passes unchanged', () => {
    const budget = { thinking: { type: 'enabled', budget_tokens: 20_000 } }
    assert.deepEqual(additional(budget, adaptive), { thinking: on, output_config: { effort: 'high' } })
    assert.deepEqual(additional(budget), budget)
    assert.deepEqual(additional({ thinking: { type: 'between_tools' } }, adaptive), {
      thinking: { type: 'between_tools' },
    })
    const both = additional({ thinking: { type: 'adaptive' }, reasoning_effort: 'low' }, adaptive)
    assert.deepEqual(both, { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } })
  })

  test('thinking off: nothing, a setting, or the lowest effort', () => {
    const off = { reasoning_effort: 'none' as const }
    assert.equal(additional(off, adaptive), undefined)
    assert.deepEqual(additional(off, { ...adaptive, byDefault: true }), { thinking: { type: 'disabled' } })
    assert.deepEqual(additional({ reasoning_effort: 'disable' }), { thinking: { type: 'disabled' } })
    assert.deepEqual(additional({ thinking: { type: 'disabled' } }), { thinking: { type: 'disabled' } })
    assert.deepEqual(additional(off, { ...adaptive, always: true }), { output_config: { effort: 'low' } })
    assert.deepEqual(notes(off, { ...adaptive, always: true }), ['translated reasoning_effort'])
  })

  test('temperature and top_p do not go with it', () => {
    const options = { reasoning_effort: 'low' as const, temperature: 0.3, top_p: 0.9 }
    assert.equal(body(options, adaptive).inferenceConfig, undefined)
    assert.deepEqual(notes(options, adaptive), ['dropped temperature', 'dropped top_p'])
    const off = { thinking: { type: 'disabled' }, temperature: 0.3 }
    assert.deepEqual(body(off).inferenceConfig, { temperature: 0.3 })
  })
})

describe('Claude with a budget', () => {
  const budget: ThinkingTraits = { by: 'budget', minTokens: 1024, maxTokens: 10_000 }
  const of = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } })

  test('efforts become tokens, within limits and below the limit of the answer, as in the dialect of Anthropic', () => {
    assert.deepEqual(additional({ reasoning_effort: 'high' }, budget), of(4096))
    assert.deepEqual(additional({ reasoning_effort: 'max' }, budget), of(10_000))
    assert.deepEqual(additional({ thinking: { type: 'enabled', budget_tokens: 3000 } }, budget), of(3000))
    assert.deepEqual(additional({ thinking: { type: 'enabled', budget_tokens: 10 } }, budget), of(1024))
    assert.deepEqual(additional({ thinking: { type: 'adaptive' }, reasoning_effort: 'low' }, budget), of(1024))
    const capped = body({ reasoning_effort: 'high', max_tokens: 3000 }, budget)
    assert.deepEqual([capped.additionalModelRequestFields, capped.inferenceConfig], [of(1500), { maxTokens: 3000 }])
    assert.deepEqual(notes({ reasoning_effort: 'high', max_tokens: 3000 }, budget), ['translated reasoning_effort'])
  })

  test('a forced tool or missing reasoning turns thinking off, with a note', () => {
    const calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }]
    const turn = (more: object): ChatRequest['messages'] => [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', tool_calls: calls, ...more },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
    ]
    const options = { reasoning_effort: 'high' as const, tools: TOOLS }
    const cases: Partial<ChatRequest>[] = [{ tool_choice: 'required' }, { messages: turn({}) }]
    for (const more of cases) {
      assert.equal(additional({ ...options, ...more }, budget), undefined)
      assert.deepEqual(notes({ ...options, ...more }, budget), ['dropped thinking'])
    }
    const signed = turn({ reasoning_details: [{ type: 'bedrock.reasoning', text: 'Hm', signature: 'Eq' }] })
    assert.deepEqual(additional({ ...options, messages: signed }, budget), of(4096))
  })
})

describe('other makers', () => {
  test('Nova: three efforts; the strongest one accepts no limit of the answer, so it gives way to one', () => {
    const model = 'us.amazon.nova-2-lite-v1:0'
    const limits = { max_tokens: 100, temperature: 0.5, stop: 'x' }
    const low = body({ reasoning_effort: 'minimal', ...limits }, undefined, model)
    assert.deepEqual(low.additionalModelRequestFields, {
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' },
    })
    assert.deepEqual(low.inferenceConfig, { maxTokens: 100, temperature: 0.5, stopSequences: ['x'] })
    const capped = body({ reasoning_effort: 'xhigh', ...limits }, undefined, model)
    assert.deepEqual(capped.additionalModelRequestFields, {
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
    })
    assert.deepEqual(capped.inferenceConfig, low.inferenceConfig)
    const onlyHigh = { reasoning_effort: 'high' as const, max_tokens: 100 }
    assert.deepEqual(notes(onlyHigh, { by: 'effort', efforts: ['high'] }, model), ['dropped reasoning_effort'])
    const high = body({ reasoning_effort: 'xhigh', temperature: 0.5, stop: 'x' }, undefined, model)
    assert.deepEqual(high.additionalModelRequestFields, {
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' },
    })
    assert.deepEqual(high.inferenceConfig, { stopSequences: ['x'] })
    assert.equal(additional({ reasoning_effort: 'none' }, undefined, model), undefined)
    const off = additional({ reasoning_effort: 'none' }, { by: 'effort', byDefault: true }, model)
    assert.deepEqual(off, { reasoningConfig: { type: 'disabled' } })
  })

  test('OpenAI: one word for the open models, an object for the others', () => {
    const oss = 'openai.gpt-oss-120b-1:0'
    assert.deepEqual(additional({ reasoning_effort: 'high' }, undefined, oss), { reasoning_effort: 'high' })
    assert.deepEqual(additional({ reasoning_effort: 'none' }, undefined, oss), { reasoning_effort: 'low' })
    assert.deepEqual(additional({ reasoning_effort: 'none' }, undefined, 'openai.gpt-5'), {
      reasoning: { effort: 'none' },
    })
    const budget = { thinking: { type: 'enabled', budget_tokens: 4000 } }
    assert.deepEqual(additional(budget, undefined, oss), { reasoning_effort: 'medium' })
  })

  test('a model without a known setting gets none, with a note; unless the catalog knows it', () => {
    const options = { reasoning_effort: 'low' as const }
    assert.equal(additional(options, undefined, 'meta.llama4'), undefined)
    assert.deepEqual(notes(options, undefined, 'meta.llama4'), ['dropped reasoning_effort'])
    assert.deepEqual(notes(options, { by: 'none' }), ['dropped reasoning_effort'])
    assert.deepEqual(notes({ reasoning_effort: 'none' }, { by: 'none' }), [])
    assert.deepEqual(additional(options, { by: 'effort' }, 'qwen.qwen3'), options)
    const profile = 'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc'
    assert.deepEqual((additional(options, { by: 'budget' }, profile) as Fields).thinking, {
      type: 'enabled',
      budget_tokens: 1024,
    })
  })

  test('the vendor is in the name', () => {
    const vendors = [
      'anthropic.claude',
      'global.anthropic.claude',
      'arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0',
      'openai.gpt-oss-20b-1:0',
      'amazon.titan',
      'mistral.large',
      'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc',
    ].map(vendorInName)
    assert.deepEqual(vendors, ['anthropic', 'anthropic', 'nova', 'gpt-oss', 'other', 'mistral', 'unknown'])
  })
})

test('the catalog takes precedence over the name', () => {
  const profile = 'arn:aws:bedrock:us-east-1:1:application-inference-profile/x1'
  assert.equal(vendorOf({ model: profile, traits: undefined }), 'unknown')
  assert.equal(vendorOf({ model: profile, traits: { maker: 'anthropic' } }), 'anthropic')
})

function additional(request: Partial<ChatRequest>, thinking?: ThinkingTraits, model?: string): unknown {
  return body(request, thinking, model).additionalModelRequestFields
}

function body(request: Partial<ChatRequest>, thinking?: ThinkingTraits, model?: string): Fields {
  return JSON.parse(String(encoded(request, thinking, model).wire.body))
}

function notes(request: Partial<ChatRequest>, thinking?: ThinkingTraits, model?: string): string[] {
  return encoded(request, thinking, model).notes.map(({ action, field }) => `${action} ${field}`)
}

function encoded(request: Partial<ChatRequest>, thinking?: ThinkingTraits, model = CLAUDE) {
  const traits = thinking ? { thinking } : undefined
  const messages: ChatRequest['messages'] = [{ role: 'user', content: 'Hi' }]
  return bedrock.chat.encode(
    { request: { model: 'm', messages, ...request } },
    { baseUrl: 'https://b.test', model, traits },
  )
}
