import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Usage } from '../../../contract/chat-reply.ts'
import { openai } from './index.ts'
import { soundUsage } from './sound-usage.ts'

type Fields = Record<string, unknown>

const PLAIN = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
const REQUEST = { model: 'm', messages: [] }

const HOSTS: { host: string; usage: Fields; cached?: number; reasoning?: number; written?: number }[] = [
  { host: 'OpenAI', usage: { prompt_tokens_details: { cached_tokens: 8 } }, cached: 8 },
  { host: 'DeepSeek', usage: { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }, cached: 64 },
  { host: 'Mistral', usage: { num_cached_tokens: 32 }, cached: 32 },
  { host: 'Mistral, misspelt', usage: { prompt_token_details: { cached_tokens: 16 } }, cached: 16 },
  {
    host: 'OpenAI, which counts reasoning as part of the answer',
    usage: { completion_tokens_details: { reasoning_tokens: 12 } },
    reasoning: 12,
  },
  {
    host: 'xAI, which counts them beside it',
    usage: { total_tokens: 150, completion_tokens_details: { reasoning_tokens: 30 } },
    reasoning: 30,
    written: 50,
  },
  { host: 'Foundry', usage: { reasoning_tokens: 12 }, reasoning: 12 },
]

for (const { host, usage, cached, reasoning, written = 20 } of HOSTS)
  describe(host, () => {
    const reported = { ...PLAIN, ...usage }
    const check = (ours: Usage | null | undefined) => {
      assert.equal(ours?.prompt_tokens_details?.cached_tokens, cached)
      assert.equal(ours?.completion_tokens_details?.reasoning_tokens, reasoning)
      assert.equal(ours?.completion_tokens, written)
    }

    test('is counted in a whole answer', () => check(decoded({ usage: reported }).usage))
    test('is counted in a stream', () => check(fed([end(), { choices: [], usage: reported }])))
  })

describe('where the counts come', () => {
  test('Groq: in a field of its own, with the end', () => {
    assert.deepEqual(fed([end(null, { x_groq: { id: 'req', usage: PLAIN } })]), PLAIN)
  })

  test('Moonshot: in the choice that ends', () => assert.deepEqual(fed([end({ usage: { ...PLAIN } })]), PLAIN))

  test('Kimi reports cached tokens without the details', () => {
    const usage = fed([end(), { choices: [], usage: { ...PLAIN, cached_tokens: 7 } }])
    assert.equal(usage?.prompt_tokens_details?.cached_tokens, 7)
  })

  test('Vercel reports its charge beside the answer', () => {
    const provider_metadata = { gateway: { cost: '0.0017' } }
    const streamed = fed([end({ delta: { provider_metadata } }), { choices: [], usage: PLAIN }]) as Fields
    const message = { role: 'assistant', content: 'Hi', provider_metadata }
    const whole = decoded({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage: PLAIN }).usage as Fields
    assert.deepEqual([streamed.gateway_cost, whole.gateway_cost], ['0.0017', '0.0017'])
  })

  test('an object as a count is read without surprise', () => {
    const usage = JSON.parse('{"prompt_tokens":{"toString":1,"valueOf":1},"prompt_tokens_details":{"cached_tokens":5}}')
    soundUsage(usage)
    assert.deepEqual(usage, { prompt_tokens: Number.NaN, prompt_tokens_details: { cached_tokens: 5 } })
  })

  test('a host that reports no counts leaves the usage undefined', () => assert.equal(fed([end()]), undefined))
})

function decoded(more: Fields) {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
  return openai.chat.decode(JSON.stringify({ id: 'c', choices, ...more }))
}

function end(choice: Fields | null = null, more: Fields = {}): Fields {
  return { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop', ...choice }], ...more }
}

function fed(events: Fields[]): Usage | null | undefined {
  const decoder = openai.chat.decoder(REQUEST)
  const chunks = events.flatMap((event) => decoder.feed({ data: JSON.stringify(event) }))
  return chunks.findLast(({ usage }) => usage)?.usage
}
