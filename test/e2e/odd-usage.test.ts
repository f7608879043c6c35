import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Usage } from '../../src/contract/chat-reply.ts'
import { validator } from '../../src/schema/validator.ts'
import { status } from '../fakes/behaviours.ts'
import { HELLO } from './chat-client.ts'
import { gatewayWithRows, rowPerDialect } from './gateway-with-rows.ts'

// Counts that are missing, mistyped or impossible. A count that cannot be read is no zero: the cost is complete or null.

const MILLION = 1_000_000

const { provider, chat } = await gatewayWithRows(
  rowPerDialect({ models: [{ id: 'm', price: { input: 1, output: 2 } }] }),
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
      [{ prompt_tokens: '5', completion_tokens: '6' }, null],
    ],
  },
  anthropic: {
    answer: (usage) => ({
      ...{ type: 'message', role: 'assistant', stop_reason: 'end_turn', usage },
      content: [{ type: 'text', text: 'Hi' }],
    }),
    usages: [
      [{ ...total, iterations: [said, run('compaction', { output_tokens: MILLION })] }, 3],
      [{ ...total, iterations: [said, run('compaction', { input_tokens: '1000000', output_tokens: 0 })] }, null],
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
      [{ promptTokenCount: '1000000', candidatesTokenCount: 1 }, null],
      [{ promptTokenCount: -5, candidatesTokenCount: 1 }, null],
    ],
  },
  cohere: {
    answer: (usage) => ({
      ...{ finish_reason: 'COMPLETE', usage },
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    }),
    usages: [
      [{ tokens: total }, 1],
      [{}, null],
      [{ tokens: {} }, null],
      [{ tokens: total, billed_units: { search_units: 2 } }, null],
      [{ tokens: total, billed_units: { input_tokens: -5, output_tokens: 0 } }, 1],
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
