import assert from 'node:assert/strict'
import { test } from 'node:test'
import { status } from '../../fakes/behaviours.ts'
import {
  bedrockStreams,
  claudeStreams,
  cohereStreams,
  type Events,
  geminiStreams,
  named,
  responsesStreams,
  sendBytes,
} from '../../fakes/broken-streams.ts'
import { assertBroken, reasonsOf, textOf } from './assert-broken.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { gatewayWithRows } from '../../gateway/gateway-with-rows.ts'

// The same as stream-faults.test.ts, for the other dialects, and for callers with the format of the provider.

type Fields = Record<string, unknown>

const { provider, chat, post } = await gatewayWithRows({
  unsaid: { dialect: 'openai', compat: { endsWithoutReason: 'always' } },
  claude: { dialect: 'anthropic' },
  laconic: { dialect: 'anthropic', compat: { endsWithoutReason: 'always' } },
  gemini: { dialect: 'gemini' },
  cohere: { dialect: 'cohere' },
  bedrock: { dialect: 'bedrock' },
})

/** Every test asks another model, because failures in a row open the circuit of a model. */
let asked = 0

const OTHERS: Record<string, { model: string; whole: Events; broken: Record<string, Events> }> = {
  anthropic: claudeStreams(),
  gemini: geminiStreams(),
  cohere: cohereStreams(),
  bedrock: bedrockStreams(),
}
for (const [dialect, { model, whole, broken }] of Object.entries(OTHERS)) {
  test(`${dialect}: the whole stream is complete`, async () => {
    provider.always(sendBytes(whole, dialect))
    const reply = await chat.stream({ ...HELLO, model })
    assert.deepEqual([textOf(reply), reply.done, reply.errors], ['Hi there', 1, []])
  })
  for (const [what, events] of Object.entries(broken))
    test(`${dialect}: ${what} is no whole answer`, async () => {
      provider.always(sendBytes(events, dialect))
      assertBroken(await chat.stream({ ...HELLO, model: `${model}${asked++}` }))
    })
}

for (const [what, events] of Object.entries(claudeStreams().broken))
  test(`messages, unchanged: ${what} ends with an error`, async () => {
    provider.always(sendBytes(events, 'anthropic'))
    const text = await post('/v3/v1/messages', { model: `claude/x${asked++}`, max_tokens: 9, ...HELLO, stream: true })
    assert.match(text, /event: error|"type":"error"/)
    assert.doesNotMatch(text, /event: message_stop/)
  })

test('the compatibility setting of a host applies to callers of its own format, and to whole answers', async () => {
  const message = { type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [] } }
  const text = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'One' } }
  provider.always(sendBytes([message, text, { type: 'message_stop' }], 'anthropic'))
  const own = (model: string) => post('/v3/v1/messages', { model, max_tokens: 9, ...HELLO, stream: true })
  assert.match(await own('laconic/x'), /event: message_stop/)
  assert.match(await own('claude/unsaid'), /"type":"error"/)
  const choices = [{ index: 0, message: { role: 'assistant', content: 'One' }, finish_reason: null }]
  provider.always(status(200, { id: 'x', choices }))
  const whole = await chat.stream({ ...HELLO, model: 'unsaid/x' })
  assert.deepEqual([whole.done, reasonsOf(whole)], [1, ['stop']])
})

for (const [what, events] of Object.entries(responsesStreams()))
  test(`responses, unchanged: ${what}`, async () => {
    provider.always(sendBytes(events))
    const text = await post('/v3/responses', { model: 'openai/gpt-5-pro', input: 'Hello', stream: true })
    assert.match(text, /response\.failed|"error":\{/)
    assert.ok(provider.requests.length > 0)
    assert.doesNotMatch(text, /event: response\.completed/)
  })

test('responses, unchanged: code that a tool ran is no status of an error', async () => {
  const [start, text, , completed] = responsesStreams()['an event that is cut off'] as string[]
  const ran = named({ type: 'response.code_interpreter_call_code.done', output_index: 0, code: '500' } as never)
  provider.always(sendBytes([start!, text!, ran, completed!]))
  const reply = await post('/v3/responses', { model: 'openai/gpt-5.4-pro', input: 'Hello', stream: true })
  assert.match(reply, /event: response\.completed/)
})

test('ends of unfinished turns are not `stop`, and are noted, whole and streamed', async () => {
  const headers = { 'x-gatehouse-metadata': 'enabled' }
  for (const stop_reason of ['pause_turn', 'compaction']) {
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason,
    }
    provider.next(status(200, message))
    const { completion } = await chat.whole({ ...HELLO, model: 'claude/x' }, { headers })
    const ended = { type: 'message_delta', delta: { stop_reason } }
    provider.next(sendBytes([...claudeStreams().whole.slice(0, -2), named(ended), named({ type: 'message_stop' })]))
    const streamed = await chat.stream({ ...HELLO, model: 'claude/x' }, { headers })
    for (const { choices, gatehouse } of [completion, streamed.chunks.at(-1)!]) {
      assert.deepEqual(
        [choices[0]!.finish_reason, (choices[0] as object as Fields).native_finish_reason],
        ['length', stop_reason],
      )
      assert.match(JSON.stringify((gatehouse as { notes: unknown }).notes), new RegExp(stop_reason))
    }
  }
})
