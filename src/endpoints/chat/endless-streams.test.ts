import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../../contract/chat.ts'
import { DIALECTS } from '../../translation/dialects/index.ts'
import type { ChatDecoder } from '../../translation/dialects/chat-codec.ts'
import { ResponseDecoder } from '../../translation/formats/responses/response-decoder.ts'
import { NativeEventsDecoder } from '../../calls/upstream/native-events-decoder.ts'

const request: ChatRequest = { model: 'p/m', messages: [] }
const followed = () => new NativeEventsDecoder(DIALECTS.anthropic.chat.decoder(request))
const openai = () => DIALECTS.openai.chat.decoder(request)
const responses = () => new ResponseDecoder()
const gemini = () => DIALECTS.gemini.chat.decoder(request)

// Events that a provider may send endlessly, and that decoders used to keep.
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
    says: /more than 128 choices/,
  },
  'new candidates': {
    open: gemini,
    event: () => ({ candidates: Array.from({ length: 129 }, () => ({ content: { parts: [{ text: 'x' }] } })) }),
    says: /more than 128 choices/,
  },
  'new items that call a tool': {
    open: responses,
    event: (at) => ({ type: 'response.output_item.added', output_index: at, item: { type: 'function_call' } }),
    says: /too many parts/,
  },
  'calls with long ids': {
    open: openai,
    event: (at) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index: at, id: `${at}${'x'.repeat(9_999)}` }] } }],
    }),
    says: /ids of tool calls are too long/,
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

test('a choice whose index is not a number counts as the first one', () => {
  const [chunk] = openai().feed({ data: JSON.stringify({ choices: [{ index: 'x', delta: { content: 'a' } }] }) })
  assert.equal(chunk?.choices[0]?.index, 0)
})
