import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Messages, send } from './fixtures/send-messages.ts'

const MARK = { cachePoint: { type: 'default' } }
const marked = { cache_control: { type: 'ephemeral' as const } }

describe('cache marks', () => {
  const messages: Messages = [
    { role: 'system', content: [{ type: 'text', text: 'Long', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Book', ...marked },
        { type: 'text', text: 'Question' },
      ],
    },
  ]
  const tools = [{ type: 'function', function: { name: 'f' }, ...marked }]

  test('marks follow what they close: tools, instructions, messages', () => {
    const { sent } = send(messages, {}, { tools })
    assert.deepEqual(sent.toolConfig?.tools[1], MARK)
    assert.deepEqual(sent.system, [{ text: 'Long' }, { cachePoint: { type: 'default', ttl: '1h' } }])
    assert.deepEqual(sent.messages[0]?.content, [{ text: 'Book' }, MARK, { text: 'Question' }])
  })

  test('the mark of a tool result follows it', () => {
    const content = [{ type: 'text' as const, text: 'ok', ...marked }]
    const turn: Messages = [
      { role: 'user', content: 'x' },
      { role: 'tool', tool_call_id: 'a', content },
    ]
    assert.deepEqual(send(turn).sent.messages[0]?.content.slice(1), [
      { toolResult: { toolUseId: 'a', content: [{ text: 'ok' }] } },
      MARK,
    ])
  })

  test('an unknown lifetime becomes the nearest one, or none', () => {
    const ttls = ['5m', '300s', '40m', '1d', 'a while']
    const sent = ttls.map((ttl) => {
      const content = [{ type: 'text' as const, text: 'x', cache_control: { type: 'ephemeral' as const, ttl } }]
      const { sent, notes } = send([{ role: 'user', content }])
      return [(sent.messages[0]!.content[1]!.cachePoint as { ttl?: string }).ttl, notes.length]
    })
    assert.deepEqual(sent, [
      ['5m', 0],
      ['5m', 1],
      ['1h', 1],
      ['1h', 1],
      [undefined, 1],
    ])
  })

  test('the first mark and the last three are kept; a model without a cache gets none, nor does a prompt that is too short', () => {
    const content = Array.from({ length: 6 }, (_, at) => ({ type: 'text' as const, text: `part ${at}`, ...marked }))
    const six = send([{ role: 'user', content }])
    assert.equal(six.sent.messages[0]?.content.filter((block) => 'cachePoint' in block).length, 4)
    assert.deepEqual(six.sent.messages[0]?.content.slice(0, 4), [
      { text: 'part 0' },
      MARK,
      { text: 'part 1' },
      { text: 'part 2' },
    ])
    assert.deepEqual(six.notes, ['dropped cache_control'])
    const uncached = [send(messages, { model: 'meta.llama4' }), send(messages, { traits: { cacheMinTokens: 1024 } })]
    for (const { sent, notes } of uncached) {
      assert.doesNotMatch(JSON.stringify(sent), /cachePoint/)
      assert.deepEqual(notes, ['dropped cache_control'])
    }
  })

  test('a mark on nothing marks nothing', () => {
    const content = [
      { type: 'text' as const, text: ' ', ...marked },
      { type: 'text' as const, text: 'Hi' },
    ]
    assert.deepEqual(send([{ role: 'user', content }]).sent.messages[0]?.content, [{ text: 'Hi' }])
  })
})
