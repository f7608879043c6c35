import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { ChatCompletion } from '../../../contract/chat-reply.ts'
import { anthropic } from './index.ts'

const SIGNATURE = 'EqQBCkYIBRgCKkBs1gn4tUeLQ=='

describe('a whole reply', () => {
  test('of text has its id, its content, its end and its tier', () => {
    const reply = recorded('text')
    assert.equal(reply.id, 'msg_01XFDUDYJgAACzvnptvVoYEL')
    assert.equal(reply.choices[0]?.message.content, 'Grüße aus 東京 🗼, and a "quoted" line\nbreak')
    assert.equal(reply.choices[0]?.finish_reason, 'stop')
    assert.equal(reply.service_tier, 'default')
  })

  test('several calls: JSON text for objects, ids as they are', () => {
    const { message, finish_reason } = recorded('parallel-tools').choices[0]!
    assert.equal(finish_reason, 'tool_calls')
    assert.equal(message.content, null)
    assert.deepEqual(message.tool_calls?.[0], {
      id: 'toolu_01A',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Zürich"}' },
    })
    assert.deepEqual(message.tool_calls?.map((call) => call.function?.arguments).at(-1), '{}')
  })

  test('reasoning: readable, and encrypted for the way back', () => {
    const { message } = recorded('thinking').choices[0]!
    assert.equal(message.reasoning_content, 'The user asks for the weather in Zürich. I should look it up.')
    assert.deepEqual((message as Record<string, unknown>).reasoning_details, [
      { type: 'anthropic.thinking', thinking: message.reasoning_content, signature: SIGNATURE },
      { type: 'anthropic.redacted_thinking', data: 'EmwKAhgBEgy3va3pzix' },
    ])
    assert.equal('reasoning_content' in recorded('thinking-omitted').choices[0]!.message, false)
  })

  test('usage in buckets that do not overlap', () => {
    assert.deepEqual(recorded('cached').usage, {
      prompt_tokens: 20_069,
      completion_tokens: 9,
      total_tokens: 20_078,
      prompt_tokens_details: { cached_tokens: 18_000, cache_write_tokens: 2048, cache_write_1h_tokens: 2000 },
    })
    assert.deepEqual(recorded('thinking').usage?.completion_tokens_details, { reasoning_tokens: 52 })
  })

  test('a refusal, with its explanation', () => {
    const { message, finish_reason } = recorded('refusal').choices[0]!
    assert.deepEqual([message.content, finish_reason], [null, 'content_filter'])
    assert.equal(message.refusal, 'This request could enable biological harm.')
  })

  test('a limit, and a stop sequence', () => {
    assert.equal(recorded('length').choices[0]?.finish_reason, 'length')
    assert.equal(recorded('stop-sequence').choices[0]?.finish_reason, 'stop')
  })

  test('an answer that came as the input of our own tool is text again', () => {
    const { message, finish_reason } = recorded('json-tool').choices[0]!
    assert.deepEqual(
      [message.content, message.tool_calls, finish_reason],
      ['{"name":"Ada","age":36}', undefined, 'stop'],
    )
  })

  test('sources, with their place in the whole text', () => {
    const { message } = recorded('web-search').choices[0]!
    assert.deepEqual(
      message.annotations?.map(({ url_citation }) => url_citation),
      [
        { start_index: 15, end_index: 28, title: 'A', url: 'https://a.test/', cited_text: '…' },
        { start_index: 15, end_index: 28, title: '', url: 'https://b.test/', cited_text: '…' },
      ],
    )
    assert.equal(message.content?.slice(15, 28), 'It is a house')
  })
})

describe('the table of stop reasons is closed', () => {
  const reasons = [
    ...[
      ['end_turn', 'stop'],
      ['stop_sequence', 'stop'],
      ['pause_turn', 'length'],
      ['compaction', 'length'],
      ['max_tokens', 'length'],
    ],
    ...[
      ['model_context_window_exceeded', 'length'],
      ['refusal', 'content_filter'],
      ['tool_use', 'stop'],
      ['__proto__', 'length'],
    ],
  ]
  for (const [stop_reason, expected] of reasons) {
    test(`${stop_reason} → ${expected}`, () => {
      const reply = anthropic.chat.decode(JSON.stringify({ type: 'message', content: [], stop_reason }))
      assert.equal(reply.choices[0]?.finish_reason, expected)
    })
  }
})

describe('text that is not a reply', () => {
  for (const text of [
    '<html>',
    '{}',
    '[]',
    'null',
    '{"type":"message"}',
    '{"type":"message","content":[1]}',
    '{"choices":[]}',
  ])
    test(text, () => assert.throws(() => anthropic.chat.decode(text), { kind: 'garbage' }))

  test('is empty if there is nothing but white space', () =>
    assert.throws(() => anthropic.chat.decode(' \n'), { kind: 'empty' }))

  test('an error with status 200', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    assert.throws(() => anthropic.chat.decode(JSON.stringify(error)), { kind: 'overloaded', status: 529 })
  })
})

function recorded(name: string): ChatCompletion {
  return anthropic.chat.decode(readFileSync(join(import.meta.dirname, 'fixtures', `${name}.json`), 'utf8'))
}
