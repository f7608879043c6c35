import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import { ownWords, wantsUsage } from './other-spellings.ts'

const CHAT: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }
const SETTINGS = { usage: { include: true }, transforms: ['middle-out'], include_reasoning: false }

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

test('a field of another type is not one of those settings', () => {
  assert.equal(
    ownWords(Object.assign({}, CHAT, { usage: 'much', transforms: 5, include_reasoning: 'yes' }), {}),
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
