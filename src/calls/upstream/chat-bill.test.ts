import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANY_CALLER } from '../../../test/fakes/any-caller.ts'
import { inputOf } from '../../money/billing/token-buckets.ts'
import { newCall } from '../call.ts'
import type { ContentPart } from '../../contract/chat.ts'
import { billOf } from './chat-bill.ts'

const PDF = `data:application/pdf;base64,${'A'.repeat(64_000)}`
const PICTURE = `data:image/png;base64,${'A'.repeat(4_000_000)}`

test('without a count of the provider, a file is estimated as what a model reads of it, not as its base64', () => {
  assert.deepEqual(estimated({ type: 'text', text: 'x'.repeat(4_000) }), [1_004, 0])
  assert.deepEqual(estimated({ type: 'image_url', image_url: { url: PICTURE } }), [1_004, 0])
  assert.deepEqual(estimated({ type: 'file', file: { file_data: PDF } }), [1_005, 0])
  assert.deepEqual(estimated({ type: 'input_audio', input_audio: { data: 'A'.repeat(100_000) } }), [104, 100])
})

test('an estimate is not longer than what the model reads at most', () => {
  assert.deepEqual(estimated({ type: 'text', text: 'x'.repeat(4_000_000) }), [10_000, 0])
})

test('tools are a part of what a model reads', () => {
  const tools = [{ type: 'function', function: { name: 'look', description: 'x'.repeat(4_000) } }]
  assert.ok(estimated({ type: 'text', text: 'Hi' }, { tools })[0]! > 1_000)
})

/** Tokens of the prompt, and how many of them are audio. */
function estimated(part: ContentPart, fields: object = {}): [number, number] {
  const start = { id: 'c', caller: ANY_CALLER, endpoint: 'chat', startedAt: 0, wantsMetadata: false }
  const call = newCall({ ...start, signal: new AbortController().signal })
  const entry = { id: 'm', context: 10_000, price: { input: 1, output: 2 } }
  const target = { id: 'p/m', model: 'm', provider: { id: 'p', dialect: 'openai' }, entry }
  const services = { catalog: { find: () => undefined } }
  const bill = billOf(
    { call, target, services } as never,
    { model: 'p/m', messages: [{ role: 'user', content: [part] }], ...fields },
    { chars: 0 },
  )
  assert.equal(bill.estimated, true)
  return [inputOf(bill.tokens!), bill.tokens!.audioInput]
}
