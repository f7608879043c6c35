import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokensThatFit } from '../../limits/lower-answer.ts'
import { chatWorstCase } from './chat-worst-case.ts'

test('the example of docs/budgets.md reserves and shortens as the page says', () => {
  const target = { entry: { price: { input: 3, output: 15 } }, provider: {} } as never
  const messages = [{ role: 'user', content: 'x'.repeat(3_953) }]
  const input = { request: { model: 'x', max_tokens: 1_000, messages } } as never
  const worst = chatWorstCase(input, { attachments: undefined })(target)
  assert.deepEqual([worst.inputTokens, worst.outputTokens, worst.usd], [4_000, 1_000, 27_000_000])
  const needed = { limit: { unit: 'usd', onExceeded: 'clamp' } as never, amount: worst.usd!, missing: worst.usd! }
  assert.equal(tokensThatFit(needed, worst, 20_000_000), 533)
})
