import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import { SentAnswer } from './sent-answer.ts'
import { StreamUsage, tidy } from './stream-usage.ts'

const USAGE = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }

test('the sent text is that of all targets together, with the id of the first chunk', () => {
  const sent = new SentAnswer()
  const chunks = [
    chunk({ content: 'One ' }, { id: 'a', created: 1 }),
    chunk({ content: 'two' }, { id: 'b', created: 2 }),
  ]
  assert.deepEqual(
    chunks.map((one, index) => tidy(one, `fake/${index}`, new StreamUsage(), sent)),
    [true, true],
  )
  assert.deepEqual([sent.text, sent.isMoreThanText], ['One two', false])
  assert.deepEqual(
    chunks.map(({ id, created, model }) => [id, created, model]),
    [
      ['a', 1, 'fake/0'],
      ['a', 1, 'fake/1'],
    ],
  )
})

test('usage is taken out of the chunks and kept; a chunk that has nothing else is not passed on', () => {
  const streamUsage = new StreamUsage()
  const sent = new SentAnswer()
  const last = { ...chunk({}), choices: [], usage: USAGE, service_tier: 'flex' } as unknown as ChatChunk
  assert.equal(tidy(last, 'fake/x', streamUsage, sent), false)
  assert.deepEqual(
    [streamUsage.usage, streamUsage.serviceTier, last.usage, sent.head],
    [USAGE, 'flex', undefined, undefined],
  )
})

test('all generated text is counted: content, reasoning, arguments of tool calls', () => {
  const streamUsage = new StreamUsage()
  const call = { index: 0, function: { arguments: '12345' } }
  for (const delta of [{ content: '12' }, { reasoning_content: '123' }, { tool_calls: [call] }]) {
    tidy(chunk(delta), 'fake/x', streamUsage, new SentAnswer())
  }
  assert.equal(streamUsage.chars, 10)
})

const MORE: Record<string, ChatChunk> = {
  'a tool call': chunk({ tool_calls: [{ index: 0 }] }),
  'a refusal': chunk({ refusal: 'no' }),
  audio: chunk({ audio: { id: 'x' } }),
  'a legacy call': chunk({ function_call: { name: 'x' } }),
  'a second choice': { ...chunk({}), choices: [{ index: 1, delta: { content: 'x' }, finish_reason: null }] },
  'a finish reason': { ...chunk({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  'more text than another target may continue': chunk({ content: 'x'.repeat(100_001) }),
}

for (const [what, more] of Object.entries(MORE)) {
  test(`after ${what} no other target can continue the answer, and the text is let go`, () => {
    const sent = new SentAnswer()
    sent.add(chunk({ content: 'Some words' }))
    sent.add(more)
    sent.add(chunk({ content: ' and more' }))
    assert.deepEqual([sent.isMoreThanText, sent.text], [true, ''])
  })
}

test('reasoning and tool calls are remembered up to a limit; beyond it, nothing is', () => {
  const sent = new SentAnswer()
  const reasoning = { type: 'signed', data: 'x'.repeat(1_000) }
  const call = (id: string) => ({ tool_calls: [{ index: 0, id }] })
  for (let at = 0; at < 1_000; at++) sent.add(chunk(call('same')))
  for (let at = 0; at < 60; at++) sent.add(chunk({ reasoning_details: [reasoning] }))
  assert.deepEqual([sent.reasoning.length, sent.callIds], [60, ['same']])
  for (let at = 0; at < 200_000; at++) {
    sent.add(chunk({ reasoning_details: [reasoning] }))
    sent.add(chunk(call(`call_${at}`)))
    if (sent.reasoning.length + sent.callIds.length > 100) break
  }
  assert.deepEqual([sent.reasoning, sent.callIds], [[], []])
})

test('an endless number of tool call ids is not remembered', () => {
  const sent = new SentAnswer()
  let max = 0
  for (let at = 0; at < 5_000; at++) {
    sent.add(chunk({ tool_calls: [{ index: at, id: `call_${at}` }] }))
    max = Math.max(max, sent.callIds.length)
  }
  assert.ok(max > 500 && max < 1_000, `${max} ids`)
  assert.deepEqual(sent.callIds, [])
})

function chunk(delta: object, head: Partial<ChatChunk> = {}): ChatChunk {
  const choices = [{ index: 0, delta, finish_reason: null }]
  return { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'x', ...head, choices } as ChatChunk
}
