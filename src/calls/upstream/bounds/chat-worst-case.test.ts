import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import { tokensThatFit } from '../../../money/limits/lower-answer.ts'
import type { Model } from '../../../platform/catalog/catalog.ts'
import { readProviders } from '../../../platform/config/provider-settings.ts'
import type { Limit } from '../../../platform/config/spend-limits/limit.ts'
import { DEFAULT_TIMEOUTS } from '../../../platform/config/timeouts.ts'
import type { NativeAsk } from '../../../translation/wire/native-ask.ts'
import { timeoutsFor } from '../../attempts/timeouts.ts'
import type { ChatTarget } from '../../routing/chat-targets.ts'
import type { TextsOfFiles } from '../chat-input.ts'
import { chatWorstCase } from './chat-worst-case.ts'
import { lowerOutput } from './lower-output.ts'

const HELLO = { role: 'user' as const, content: 'Hello!' }
const LONG = 'words '.repeat(50_000)
const MODEL: Model = {
  id: 'x',
  provider: 'openai',
  type: 'chat',
  context: null,
  output: null,
  price: null,
  can: [],
  regions: [],
  created: 0,
  source: 'https://example.com/prices',
  checked: '2026-11-15',
}
const TARGET = targetOf({ price: { input: 1, output: 2 }, output: 100_000 })
const LIMIT: Limit = {
  id: 'limit',
  kind: 'budget',
  ownedBy: 'api',
  name: null,
  idleMs: null,
  maxSessions: null,
  appliesTo: { holder: 'all', id: null },
  per: null,
  unit: 'usd',
  amount: 20_000_000,
  window: 'day',
  timezone: 'UTC',
  models: null,
  providers: null,
  endpoints: null,
  tags: null,
  mode: 'enforce',
  onExceeded: 'clamp',
  assume: null,
  increase: null,
  alerts: null,
}

/** A model of which the catalog says this. */
function targetOf(entry: Partial<Model>): ChatTarget {
  const provider = readProviders({}, {}).openai!
  const timeouts = timeoutsFor({ provider: 'openai', id: 'x', thinks: false }, DEFAULT_TIMEOUTS, {})
  return { id: 'openai/x', model: 'x', baseUrl: provider.baseUrl, provider, entry: { ...MODEL, ...entry }, timeouts }
}

/** A request with these fields, whether or not they are fields of the contract. */
function asking(fields: object): ChatRequest {
  return { model: 'x', messages: [HELLO], ...fields }
}

function worstOf(fields: object) {
  return chatWorstCase({ request: asking(fields) })(TARGET)
}

test('the example of docs/budgets.md reserves and shortens as the page says', () => {
  const request = asking({ max_tokens: 1_000, messages: [{ role: 'user', content: 'x'.repeat(3_953) }] })
  const worst = chatWorstCase({ request })(targetOf({ price: { input: 3, output: 15 } }))
  assert.deepEqual([worst.inputTokens, worst.outputTokens, worst.usd], [4_000, 1_000, 27_000_000])
  const needed = { limit: LIMIT, amount: worst.usd!, missing: worst.usd! }
  assert.equal(tokensThatFit(needed, worst, 20_000_000), 533)
})

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

const FAST = { input: 10, output: 20 }
const WITH_TIERS = targetOf({
  price: { input: 1, output: 2, serviceTiers: { fast: FAST, priority: FAST } },
  output: 100,
})

for (const [fields, factor] of [
  [{ service_tier: 'priority' }, 10],
  [{ extra_body: { service_tier: 'priority' } }, 10],
  [{ speed: 'fast' }, 10],
  [{ service_tier: 'flex' }, 1],
  [{ service_tier: 'auto' }, 1],
] as const)
  test(`${JSON.stringify(fields)} reserves ${factor} times the standard price`, () => {
    const usdOf = (more: object) => {
      const { usd, inputTokens } = chatWorstCase({ request: asking({ max_tokens: 10, ...more }) })(WITH_TIERS)
      return usd! / (inputTokens + 2 * 10)
    }
    assert.equal(usdOf(fields), factor * usdOf({}))
  })

test('the price of recordings is reserved for chats that may have one', () => {
  const entry = { price: { input: 1, output: 0, audioInput: 10 }, per: { second: 0.001 }, context: 100, output: 1 }
  const usdPerToken = (content: unknown, more = {}) => {
    const request = asking({ messages: [{ role: 'user', content }], max_tokens: 1, ...more })
    const { usd, inputTokens } = chatWorstCase({ request })(targetOf(entry))
    // Ten seconds of a thousandth of a dollar, which the context allows.
    return [usd! % 10_000_000, Math.floor(usd! / 10_000_000), inputTokens]
  }
  const [ofText, secondsOfText, tokensOfText] = usdPerToken('Hello')
  assert.deepEqual([ofText, secondsOfText], [tokensOfText! * 1_000, 0])
  const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
  const [ofAudio, secondsOfAudio, tokensOfAudio] = usdPerToken([audio])
  assert.deepEqual([ofAudio, secondsOfAudio], [tokensOfAudio! * 10_000, 1])
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
  const target = targetOf({ price: { input: 1, output: 2 }, context: 200_000 })
  const content = [{ type: 'file', file: { file_id: 'file-of-the-provider' } }]
  const request = asking({ messages: [{ role: 'user', content }] })
  assert.equal(chatWorstCase({ request })(target).inputTokens, 200_000)
})

const PDF = Buffer.from('%PDF-1.7 a few bytes with many pages').toString('base64')
const ODD_PDF = Buffer.from('Some words in front. They are more than fits into a short look. %PDF-1.7').toString(
  'base64',
)
const DOCUMENTS: object[] = [
  { type: 'file', file: { file_data: PDF } },
  { type: 'file', file: { file_data: `data:application/pdf;base64,${PDF}` } },
  { type: 'file', file: { file_data: `data:text/plain;base64,${PDF}` } },
  { type: 'file', file: { file_data: `data:text/plain;base64,${ODD_PDF}` } },
  { type: 'input_file', file_data: `data:application/pdf;base64,${PDF}` },
  { type: 'input_file', file_url: 'https://example.com/a.pdf' },
  { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
  { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
  { type: 'tool_result', content: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }] },
  { inlineData: { mimeType: 'application/pdf', data: PDF } },
  { inline_data: { mime_type: 'video/mp4', data: 'AAAA' } },
  { fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } },
]
const WITH_CONTEXT = targetOf({ price: { input: 1, output: 2 }, context: 150_000 })

function worstOfPart(part: object, target: ChatTarget) {
  const parts = [{ role: 'user', content: [part], parts: [part] }]
  const isOurs = 'file' in part
  const request = asking(isOurs ? { messages: parts } : {})
  const native: NativeAsk = { format: 'messages', body: { messages: parts } }
  return chatWorstCase(isOurs ? { request } : { request, native })(target).inputTokens
}

for (const [index, part] of DOCUMENTS.entries())
  test(`a document may fill the context of the model, however few bytes it has (${index})`, () => {
    assert.equal(worstOfPart(part, WITH_CONTEXT), 150_000)
    assert.equal(worstOfPart(part, TARGET), 200_000)
  })

const TEXTS: object[] = [
  { type: 'file', file: { file_data: Buffer.from('Plain words').toString('base64') } },
  { type: 'file', file: { file_data: `data:text/csv;base64,${Buffer.from('a,b').toString('base64')}` } },
  { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Plain words' } },
  { inlineData: { mimeType: 'text/plain', data: 'UGxhaW4=' } },
  { type: 'text', text: 'Plain words' },
]

for (const [index, part] of TEXTS.entries())
  test(`a file that is a text counts by its bytes (${index})`, () => {
    assert.ok(worstOfPart(part, WITH_CONTEXT) < 300)
  })

test('a target that gets the texts of files is reserved for these texts', () => {
  const request = asking({ messages: [{ role: 'user', content: [DOCUMENTS[0]] }] })
  const withText = asking({ messages: [{ role: 'user', content: LONG }] })
  const files: TextsOfFiles = { readyFor: () => undefined, fit: (input) => ({ ...input, request: withText }) }
  const worst = chatWorstCase({ request, files })(WITH_CONTEXT)
  assert.ok(worst.inputTokens > LONG.length && worst.inputTokens < LONG.length + 100)
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
  const request = asking({ max_output_tokens: 7, max_tokens: 9_000, extra_body })
  const native: NativeAsk = {
    format: 'gemini',
    body: { contents: [], generationConfig: config, generation_config: config },
  }
  const lowered = lowerOutput({ request, native }, 300)
  const left = { generationConfig: { topK: 4 }, top_k: 5 }
  assert.deepEqual(lowered.request, { model: 'x', messages: [HELLO], max_tokens: 300, extra_body: left })
  const body = { contents: [], generationConfig: { topK: 4, maxOutputTokens: 300 }, generation_config: { topK: 4 } }
  assert.deepEqual(lowered.native?.body, body)
})

test('content that a provider keeps is written, stored and read by the same call', () => {
  const price = { input: 1, output: 2, cacheWrite: 1, cacheRead: 0.25, cacheStorage: 4 }
  const { inputTokens, usd } = chatWorstCase({ request: asking({}) })(targetOf({ price, output: 0 }))
  assert.equal(usd, inputTokens * 5_250)
})

test('a number of answers that is none, and cannot be converted, counts as one', () => {
  const n = JSON.parse('{"toString":1,"valueOf":null}')
  assert.equal(worstOf({ max_tokens: 10, extra_body: { n } }).outputTokens, 10)
})
