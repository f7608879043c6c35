import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChatChunk, ChatCompletion } from '../../../src/contract/chat-reply.ts'
import { MessagesReply } from '../../../src/contract/messages.ts'
import { ResponseObject } from '../../../src/contract/responses.ts'
import { validator } from '../../../src/base/schema/validator.ts'
import { status } from '../../fakes/behaviours.ts'
import { messagesOf } from '../../fakes/fold-chunks.ts'
import { stream } from '../../fakes/stream.ts'
import { CALL, HEAD, MESSAGE, RESPONSE } from '../../fakes/whole-answers.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { gatewayWithRows, rowPerDialect } from '../../gateway/gateway-with-rows.ts'

// Fields of an answer that are missing or have another type. Our answer matches our schema nevertheless.

const { provider, chat, post } = await gatewayWithRows(rowPerDialect())

const completions = validator(ChatCompletion)
const chunks = validator(ChatChunk)
const ODD: Record<string, unknown[]> = {
  id: [undefined, null, 5, {}, ''],
  created: [undefined, null, '1750000000', 1.5, 'now', {}, -1],
  object: [undefined, null, 'x'],
  system_fingerprint: [5, {}],
  service_tier: [5, []],
}
const ODD_CHOICE: Record<string, unknown[]> = {
  index: [undefined, null, '0', -1, 1.5, {}],
  finish_reason: ['STOP', 'odd'],
}
const ODD_SAID: Record<string, unknown[]> = {
  role: [undefined, null, 'model', 5],
  content: [undefined, null, 5, [{ type: 'text', text: 'Hi' }]],
  tool_calls: [
    null,
    [],
    [{ ...CALL, id: 5 }],
    [{ ...CALL, type: 7 }],
    [{ id: 'a', function: { name: 'f', arguments: {} } }],
  ],
}
for (const [place, fields] of Object.entries({ top: ODD, choice: ODD_CHOICE, said: ODD_SAID }))
  for (const [field, values] of Object.entries(fields))
    test(`a provider that omits or mistypes ${field}: the answer matches our schema, whole and streamed`, async () => {
      for (const value of values) {
        const odd = (of: string) => (place === of ? { [field]: value } : {})
        const said = { role: 'assistant', content: 'Hi', ...odd('said') }
        const choice = { index: 0, finish_reason: 'stop', ...odd('choice') }
        provider.next(status(200, { ...HEAD, ...odd('top'), choices: [{ ...choice, message: said }] }))
        const { completion } = await chat.whole({ ...HELLO, model: 'my-openai/odd' })
        assert.ok(completions.check(completion), JSON.stringify(completion))
        const part = { ...choice, finish_reason: null, delta: said }
        const events = [
          { ...HEAD, ...odd('top'), choices: [part] },
          { ...HEAD, ...odd('top'), choices: [{ ...choice, delta: {} }] },
        ]
        provider.next(stream(events))
        const reply = await chat.stream({ ...HELLO, model: 'my-openai/odd' })
        assert.deepEqual([reply.done, reply.errors], [1, []], JSON.stringify(value))
        for (const chunk of reply.chunks) assert.ok(chunks.check(chunk), JSON.stringify(chunk))
        assert.equal(reply.chunks[0]!.choices[0]!.delta.role, 'assistant')
      }
    })

test('several choices without numbers are numbered by their places', async () => {
  const said = { role: 'assistant', content: 'Hi' }
  const unnumbered = { message: said, finish_reason: 'stop' }
  provider.next(status(200, { ...HEAD, choices: [unnumbered, unnumbered] }))
  const { completion } = await chat.whole({ ...HELLO, model: 'my-openai/odd', n: 2 })
  assert.deepEqual(
    completion.choices.map(({ index }) => index),
    [0, 1],
  )
  const pieces = [{ delta: said }, { delta: said }]
  const ends = pieces.map(() => ({ delta: {}, finish_reason: 'stop' }))
  provider.next(
    stream([
      { ...HEAD, choices: pieces },
      { ...HEAD, choices: ends },
    ]),
  )
  const reply = await chat.stream({ ...HELLO, model: 'my-openai/odd', n: 2 })
  assert.deepEqual([reply.done, messagesOf(reply.chunks).length], [1, 2])
})

test('a provider with the format of the caller that omits what every answer has: the answer has it', async () => {
  const { id: _, type: __, stop_sequence: ___, usage: ____, ...message } = MESSAGE
  const body = { model: 'my-anthropic/x', max_tokens: 9, ...HELLO }
  for (const odd of [{}, { id: 5, type: 'message', usage: 'none' }]) {
    provider.next(status(200, { ...message, ...odd }))
    const reply = JSON.parse(await post('/v3/v1/messages', body))
    assert.ok(validator(MessagesReply).check(reply), JSON.stringify(reply))
  }
  const { created_at: _____, object: ______, ...response } = RESPONSE
  for (const odd of [{}, { created_at: '5', error: null }, { created_at: 1.5 }]) {
    provider.next(status(200, { ...response, ...odd }))
    const reply = JSON.parse(await post('/v3/responses', { model: 'openai/gpt-5-pro', input: 'Hello' }))
    assert.ok(validator(ResponseObject).check(reply), JSON.stringify(reply))
  }
})
