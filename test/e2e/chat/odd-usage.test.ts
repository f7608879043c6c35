import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Usage } from '../../../src/contract/chat-reply.ts'
import { validator } from '../../../src/base/schema/validator.ts'
import { status } from '../../fakes/behaviours.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { gatewayWithRows, rowPerDialect } from '../../gateway/gateway-with-rows.ts'

// Counts that are missing, mistyped or impossible. A count that cannot be read is no zero: the cost is complete or null.

const MILLION = 1_000_000

const { provider, chat } = await gatewayWithRows(
  rowPerDialect({
    models: [
      { id: 'm', price: { input: 1, output: 2 } },
      { id: 'dear', price: { input: 10, output: 20 } },
      { id: 'unpriced' },
    ],
  }),
)

const run = (type: string, counts: object) => ({ type, ...counts })
const said = run('message', { input_tokens: MILLION, output_tokens: 0 })
const total = { input_tokens: MILLION, output_tokens: 0 }

const CASES: Record<string, { answer: (usage: unknown) => object; usages: [usage: unknown, cost: number | null][] }> = {
  openai: {
    answer: (usage) => ({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }], usage }),
    usages: [
      [{ prompt_tokens: MILLION, completion_tokens: 0 }, 1],
      [{ prompt_tokens: -MILLION, completion_tokens: MILLION }, null],
      [{ prompt_tokens: MILLION, completion_tokens: -MILLION }, null],
      [{ prompt_tokens: 1.5, completion_tokens: 2 }, null],
      [{ prompt_tokens: '1000000', completion_tokens: '0' }, 1],
      [{ prompt_tokens: 'many', completion_tokens: 6 }, null],
    ],
  },
  anthropic: {
    answer: (usage) => ({
      type: 'message',
      role: 'assistant',
      stop_reason: 'end_turn',
      usage,
      content: [{ type: 'text', text: 'Hi' }],
    }),
    usages: [
      [{ ...total, iterations: [said, run('compaction', { output_tokens: MILLION })] }, 3],
      [{ ...total, iterations: [said, run('compaction', { input_tokens: '1000000', output_tokens: 0 })] }, 2],
      [{ ...total, iterations: [said, run('compaction', { input_tokens: 'x', output_tokens: 0 })] }, null],
      [{ ...total, iterations: [{ ...said, model: 'dear' }] }, 10],
      [{ ...total, iterations: [{ ...said, model: 'm' }] }, 1],
      [{ ...total, iterations: [{ ...said, model: 'unpriced' }] }, null],
      [{ ...total, iterations: [said, run('compaction', { usage: total })] }, null],
      [{ ...total, iterations: [said, 5] }, null],
    ],
  },
  gemini: {
    answer: (usageMetadata) => ({
      candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata,
    }),
    usages: [
      [{ promptTokenCount: MILLION }, 1],
      [{ promptTokenCount: '1000000', candidatesTokenCount: 0 }, 1],
      [{ promptTokenCount: -5, candidatesTokenCount: 1 }, null],
    ],
  },
  cohere: {
    answer: (usage) => ({
      finish_reason: 'COMPLETE',
      usage,
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    }),
    usages: [
      [{ tokens: total }, 1],
      [{}, null],
      [{ tokens: {} }, null],
      [{ tokens: total, billed_units: { search_units: 2 } }, null],
      [{ tokens: total, billed_units: { input_tokens: -5, output_tokens: 0 } }, null],
    ],
  },
}

const usages = validator(Usage)
for (const [dialect, { answer, usages: all }] of Object.entries(CASES))
  test(`${dialect}: counts that cannot be read are not zero`, async () => {
    for (const [usage, cost] of all) {
      provider.always(status(200, answer(usage)))
      const { completion, text } = await chat.whole({ ...HELLO, model: `my-${dialect}/m` })
      assert.equal(completion.cost, cost, `${JSON.stringify(usage)}: ${text}`)
      assert.ok(usages.check(completion.usage), text)
    }
  })

/** Places of counts that change the price, and a usage with a function that sets one of them. */
const PLACES: Record<string, { base: object; paths: string[] }> = {
  openai: {
    base: { prompt_tokens: MILLION, completion_tokens: 0 },
    paths: [
      ...['prompt_tokens', 'completion_tokens', 'prompt_cache_hit_tokens', 'num_search_queries'],
      ...['prompt_tokens_details.cached_tokens', 'prompt_tokens_details.audio_tokens'],
      ...['completion_tokens_details.audio_tokens', 'prompt_tokens_details.cache_write_tokens'],
    ],
  },
  anthropic: {
    base: total,
    paths: [
      ...['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'],
      ...['server_tool_use.web_search_requests', 'cache_creation.ephemeral_1h_input_tokens'],
    ],
  },
  gemini: {
    base: { promptTokenCount: MILLION },
    paths: [
      ...['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'toolUsePromptTokenCount'],
      'cachedContentTokenCount',
    ],
  },
  cohere: {
    base: { tokens: total },
    paths: ['tokens.input_tokens', 'tokens.output_tokens', 'cached_tokens', 'billed_units.search_units'],
  },
}
const UNREADABLE = ['many', '', '-5', '1.5', -5, 1.5, 1e300, {}, [7], true]

for (const [dialect, { base, paths }] of Object.entries(PLACES))
  test(`${dialect}: one odd count in any place makes the cost unknown, and text is a number`, async () => {
    const { answer } = CASES[dialect]!
    // The places take turns with the values, so that this stays short; both lists are covered.
    for (const [at, path] of paths.entries())
      for (const value of UNREADABLE.filter((_, index) => index % 3 === at % 3 || index < 2)) {
        const { cost, text } = await asked(dialect, answer(withCount(base, path, value)))
        assert.equal(cost, null, `${path}: ${JSON.stringify(value)}: ${text}`)
        assert.doesNotMatch(text, /"\w*tokens":-/)
      }
    for (const path of paths.slice(0, 4).filter((path) => !path.includes('search'))) {
      const number = await asked(dialect, answer(withCount(base, path, 500)))
      const words = await asked(dialect, answer(withCount(base, path, '500')))
      assert.equal(typeof number.cost, 'number', `${path}: ${number.text}`)
      assert.equal(words.cost, number.cost, path)
    }
  })

test('a reported charge that is negative or no number is not a charge', async () => {
  const { answer } = CASES.openai!
  for (const odd of [-1, 'x', '', null, {}]) {
    const usage = { prompt_tokens: MILLION, completion_tokens: 0, cost: odd, num_search_queries: 'x' }
    const { cost } = await asked('openai', answer(usage))
    assert.equal(cost, null, JSON.stringify(odd))
  }
})

async function asked(dialect: string, body: object): Promise<{ cost: unknown; text: string }> {
  provider.always(status(200, body))
  const { completion, text } = await chat.whole({ ...HELLO, model: `my-${dialect}/m` })
  assert.ok(usages.check(completion.usage), text)
  return { cost: completion.cost, text }
}

function withCount(base: object, path: string, value: unknown): object {
  const usage = structuredClone(base) as Record<string, unknown>
  const [first, second] = path.split('.') as [string, string?]
  usage[first] = second === undefined ? value : { ...(usage[first] as object | undefined), [second]: value }
  return usage
}
