import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Message } from '../../../contract/chat.ts'
import { Notes } from '../notes.ts'
import { settleOrder } from './order.ts'

const ANY = { isMistral: false, alternates: false }
const MISTRAL = { isMistral: true, alternates: false }
const ALTERNATING = { isMistral: false, alternates: true }
const CALLS = { role: 'assistant' as const, content: null, tool_calls: [{ id: 'abcdefghi' }] }
const RESULT: Message = { role: 'tool', tool_call_id: 'abcdefghi', content: 'Rain.' }
const BRIDGE: Message = { role: 'assistant', content: 'OK.' }

function user(content: Message['content']): Message {
  return { role: 'user', content }
}

function settled(messages: Message[], order: typeof ANY) {
  const notes = new Notes()
  return { messages: settleOrder(messages, order, notes), noted: notes.list.map(({ action }) => action) }
}

describe('the order of messages', () => {
  test('is left alone where nothing is refused: the same list is returned', () => {
    const messages = [
      user('Hi'),
      CALLS,
      RESULT,
      user('So?'),
      { role: 'system' as const, content: 'Be short.' },
      user('Now?'),
    ]
    assert.equal(settled(messages, ANY).messages, messages)
    const plain = [user('Hi'), CALLS, RESULT, { role: 'assistant' as const, content: 'Rain.' }, user('Thanks.')]
    for (const order of [ANY, MISTRAL]) assert.equal(settled(plain, order).messages, plain)
  })

  test('Mistral: the assistant speaks between a tool and the user, and an instruction after an answer is text of the user', () => {
    const late: Message = { role: 'system', content: [{ type: 'text', text: 'Be short.' }] }
    const { messages, noted } = settled(
      [user('Hi'), CALLS, RESULT, user('Mind the time.'), CALLS, RESULT, late],
      MISTRAL,
    )
    const marked = user('<system>\nBe short.\n</system>')
    assert.deepEqual(messages, [
      user('Hi'),
      CALLS,
      RESULT,
      BRIDGE,
      user('Mind the time.'),
      CALLS,
      RESULT,
      BRIDGE,
      marked,
    ])
    assert.deepEqual(noted, ['translated', 'translated'])
  })

  test('Mistral: an instruction after the user is accepted as it is', () => {
    const messages = [user('Hi'), { role: 'system' as const, content: 'Be short.' }]
    assert.equal(settled(messages, MISTRAL).messages, messages)
  })

  test('messages of one role become one where the roles have to alternate', () => {
    const image = { type: 'image_url' as const, image_url: { url: 'https://x.test/a.png' } }
    const late: Message = { role: 'system', content: 'Be short.' }
    const { messages, noted } = settled([late, user('A'), user('B'), late, user([image])], ALTERNATING)
    const text = 'A\n\nB\n\n<system>\nBe short.\n</system>'
    assert.deepEqual(messages, [late, user([{ type: 'text', text }, image])])
    assert.deepEqual(noted, ['translated', 'translated'])
  })

  test('an answer that says nothing is dropped; one with reasoning keeps it where reasoning is accepted', () => {
    const silent = { role: 'assistant' as const, content: null }
    assert.deepEqual(settled([user('Hi'), silent, user('So?')], ANY), {
      messages: [user('Hi'), user('So?')],
      noted: ['dropped'],
    })
    const thought = { ...silent, reasoning_content: 'Hm.' }
    assert.deepEqual(settled([user('Hi'), thought, user('So?')], ANY).messages[1], { ...thought, content: '' })
    assert.deepEqual(settled([user('Hi'), thought, user('So?')], MISTRAL).messages, [user('Hi'), user('So?')])
  })
})
