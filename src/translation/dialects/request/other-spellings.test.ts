import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import { ownWords, wantsUsage } from './other-spellings.ts'

const CHAT: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }
const SETTINGS = { usage: { include: true }, transforms: ['middle-out'], include_reasoning: false, trace: { id: 'a' } }
const MISTRALS = { safe_prompt: true, prompt_mode: 'reasoning' }

test('the settings of OpenRouter are left out with a note for other providers, and sent to those that know them', () => {
  for (const [field, value] of Object.entries(SETTINGS)) {
    const request: ChatRequest = Object.assign({}, CHAT, { [field]: value })
    const { request: own, notes } = ownWords(request, {})!
    assert.deepEqual(own, CHAT)
    assert.deepEqual(
      notes.map((note) => note.field),
      [field],
    )
    assert.equal(ownWords(request, { compat: { thinking: 'reasoning' } }), undefined)
  }
})

test('the settings of Mistral are left out with a note for other providers, and its seed is ours', () => {
  for (const [field, value] of Object.entries(MISTRALS)) {
    const request: ChatRequest = Object.assign({}, CHAT, { [field]: value })
    const { request: own, notes } = ownWords(request, {})!
    assert.deepEqual([own, notes.map((note) => note.field)], [CHAT, [field]])
    assert.equal(ownWords(request, { compat: { mistral: true } }), undefined)
  }
  const seeded: ChatRequest = Object.assign({}, CHAT, { random_seed: 7 })
  assert.deepEqual(ownWords(seeded, {})?.request, { ...CHAT, seed: 7 })
  assert.deepEqual(ownWords({ ...seeded, seed: 8 }, {})?.request, { ...CHAT, seed: 8 })
  assert.equal(ownWords(seeded, { compat: { mistral: true } }), undefined)
})

test('a mark for the whole request goes to providers that have marks', () => {
  const marked: ChatRequest = Object.assign({}, CHAT, { cache_control: { type: 'ephemeral' } })
  assert.deepEqual(
    ownWords(marked, {}, 'gemini')?.notes.map((note) => note.action),
    ['dropped'],
  )
  assert.equal(ownWords(marked, {}, 'anthropic'), undefined)
  assert.equal(ownWords(marked, { compat: { cacheMarks: true } }, 'openai'), undefined)
})

test('a field of another type is not one of those settings', () => {
  assert.equal(
    ownWords(
      Object.assign({}, CHAT, { usage: 'much', transforms: 5, include_reasoning: 'yes', trace: 'a', random_seed: 'b' }),
      {},
    ),
    undefined,
  )
})

test('usage is wanted in our words and in those of OpenRouter', () => {
  const asking = [{ stream_options: { include_usage: true } }, { usage: { include: true } }, { usage: {} }, {}]
  assert.deepEqual(
    asking.map((fields) => wantsUsage(Object.assign({}, CHAT, fields))),
    [true, true, false, false],
  )
})
