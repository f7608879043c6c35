import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokensThatFit } from '../../limits/lower-answer.ts'
import { chatWorstCase } from './chat-worst-case.ts'
import { lowerOutput } from './lower-output.ts'

test('the example of docs/budgets.md reserves and shortens as the page says', () => {
  const target = { entry: { price: { input: 3, output: 15 } }, provider: {} } as never
  const messages = [{ role: 'user', content: 'x'.repeat(3_953) }]
  const input = { request: { model: 'x', max_tokens: 1_000, messages } } as never
  const worst = chatWorstCase(input, { attachments: undefined })(target)
  assert.deepEqual([worst.inputTokens, worst.outputTokens, worst.usd], [4_000, 1_000, 27_000_000])
  const needed = { limit: { unit: 'usd', onExceeded: 'clamp' } as never, amount: worst.usd!, missing: worst.usd! }
  assert.equal(tokensThatFit(needed, worst, 20_000_000), 533)
})

const TARGET = { entry: { price: { input: 1, output: 2 }, output: 100_000 }, provider: {} } as never
const HELLO = { role: 'user', content: 'Hello!' }
const LONG = 'words '.repeat(50_000)

function worstOf(fields: object) {
  const request = { model: 'x', messages: [HELLO], ...fields } as never
  return chatWorstCase({ request }, { attachments: undefined })(TARGET)
}

const NO_LIMITS: object[] = [
  { max_output_tokens: 1 },
  { max_output_tokens: -10_000_000 },
  { maxOutputTokens: 1 },
  { extra_body: { max_tokens: -1 } },
  { max_tokens: 1, extra_body: { max_tokens: null } },
  { max_tokens: 1, extra_body: { max_tokens: '100000' } },
  { max_tokens: 1, extra_body: { generationConfig: { maxOutputTokens: 100_000 } } },
]

for (const fields of NO_LIMITS)
  test(`an answer may be as long as its model allows, whatever else is sent: ${JSON.stringify(fields)}`, () => {
    assert.equal(worstOf(fields).outputTokens, 100_000)
  })

test('answers are counted wherever a caller asks for several', () => {
  const settings = [{ n: 3 }, { extra_body: { n: '3' } }, { extra_body: { generationConfig: { candidateCount: 3 } } }]
  const outputs = settings.map((fields) => worstOf({ max_tokens: 10, ...fields }).outputTokens)
  assert.deepEqual(outputs, [30, 30, 30])
})

const HIDDEN: object[] = [
  { messages: [{ ...HELLO, type: 'image', content: LONG }] },
  {
    messages: [{ ...HELLO, content: [{ type: 'image_url', image_url: { url: 'https://a.example/', detail: LONG } }] }],
  },
  { tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'image', data: LONG } } }] },
  { messages: [HELLO, { role: 'assistant', content: [{ type: 'tool_use', input: { type: 'image', url: LONG } }] }] },
  { documents: [LONG] },
  { extra_body: { system: LONG } },
  { prediction: { type: 'content', content: LONG } },
]

for (const [index, fields] of HIDDEN.entries())
  test(`a text counts wherever it is sent, and does not pass for a picture (${index})`, () => {
    assert.ok(worstOf(fields).inputTokens > LONG.length)
  })

test('a file that is at the provider may fill the context of the model', () => {
  const target = { entry: { price: { input: 1, output: 2 }, context: 200_000 }, provider: {} } as never
  const content = [{ type: 'file', file: { file_id: 'file-of-the-provider' } }]
  const request = { model: 'x', messages: [{ role: 'user', content }] } as never
  assert.equal(chatWorstCase({ request }, { attachments: undefined })(target).inputTokens, 200_000)
})

test('a picture counts as a picture, not by its bytes', () => {
  const url = `data:image/png;base64,${'A'.repeat(1_000_000)}`
  const data = { data: 'A'.repeat(1_000_000), mimeType: 'image/png', media_type: 'image/png' }
  const parts = [
    ...[
      { type: 'image_url', image_url: { url } },
      { type: 'input_image', image_url: url },
    ],
    ...[{ type: 'image', source: { type: 'base64', ...data } }, { inlineData: data }],
  ]
  for (const part of parts) assert.ok(worstOf({ messages: [{ role: 'user', content: [part] }] }).inputTokens < 41_000)
})

test('a lowered answer has no other limit beside the new one', () => {
  const config = { maxOutputTokens: 65_000, topK: 4 }
  const extra_body = { max_tokens: 9_000, generationConfig: config, top_k: 5 }
  const request = { model: 'x', messages: [HELLO], max_output_tokens: 7, max_tokens: 9_000, extra_body } as never
  const native = {
    format: 'gemini',
    body: { contents: [], generationConfig: config, generation_config: config },
  } as never
  const lowered = lowerOutput({ request, native }, 300)
  const left = { generationConfig: { topK: 4 }, top_k: 5 }
  assert.deepEqual(lowered.request, { model: 'x', messages: [HELLO], max_tokens: 300, extra_body: left })
  const body = { contents: [], generationConfig: { topK: 4, maxOutputTokens: 300 }, generation_config: { topK: 4 } }
  assert.deepEqual(lowered.native?.body, body)
})
