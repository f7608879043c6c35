import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../contract/chat.ts'
import { DIALECTS } from '../dialects/index.ts'
import type { ChatDecoder } from '../dialects/dialect.ts'
import { FollowedDecoder } from './native-face.ts'

const asked: ChatRequest = { model: 'p/m', messages: [] }
const followed = () => new FollowedDecoder(DIALECTS.anthropic.chat.decoder(asked))
const openai = () => DIALECTS.openai.chat.decoder(asked)
const gemini = () => DIALECTS.gemini.chat.decoder(asked)

// What a provider may send without end, and what was kept of it for each of its events.
const ENDLESS: Record<string, { open: () => ChatDecoder; event: (at: number) => object; says: RegExp }> = {
  'events that say nothing': { open: followed, event: () => ({ type: 'ping' }), says: /say nothing/ },
  'large events that say nothing': {
    open: followed,
    event: () => ({ type: 'new', more: 'x'.repeat(10_000) }),
    says: /say nothing/,
  },
  'new answers': {
    open: openai,
    event: (index) => ({ choices: [{ index, delta: { content: 'x' }, finish_reason: 'stop' }] }),
    says: /too many parts/,
  },
  'parts that have no place in a message': {
    open: gemini,
    event: () => ({ candidates: [{ index: 0, content: { parts: [{ executableCode: {} }] } }] }),
    says: /too many parts/,
  },
}

for (const [what, { open, event, says }] of Object.entries(ENDLESS)) {
  test(`a stream of ${what} is broken off`, () => {
    const decoder = open()
    assert.throws(() => {
      for (let at = 0; at < 250_000; at++) decoder.feed({ data: JSON.stringify(event(at)) })
    }, says)
  })
}

test('answers that are numbered by something else than numbers are the first one', () => {
  const [chunk] = openai().feed({ data: JSON.stringify({ choices: [{ index: 'x', delta: { content: 'a' } }] }) })
  assert.equal(chunk?.choices[0]?.index, 0)
})
