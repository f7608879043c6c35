import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../../contract/chat.ts'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import { Overlap } from './overlap.ts'
import { canResume } from './resume.ts'
import { SentAnswer } from './sent-answer.ts'

const REQUEST: ChatRequest = { model: 'fake/x', messages: [{ role: 'user', content: 'Hello' }] }

test('only plain text of a single answer without logprobs can be resumed', () => {
  const sent = sentText('Some words')
  assert.equal(canResume(REQUEST, sent), true)
  assert.equal(canResume({ ...REQUEST, n: 1, logprobs: false }, sent), true)
  for (const more of [{ n: 2 }, { logprobs: true }, { audio: { voice: 'x', format: 'wav' } }]) {
    assert.equal(canResume({ ...REQUEST, ...more } as ChatRequest, sent), false)
  }
  assert.equal(canResume(REQUEST, sentText('')), false)
  const called = sentText('Some words')
  called.add(chunk({ tool_calls: [{ index: 0 }] }))
  assert.equal(canResume(REQUEST, called), false)
})

/** It does not matter how the new answer is cut into pieces. */
const PIECES: string[][] = [
  ['Hello world, and more'],
  ['Hel', 'lo wor', 'ld, and more'],
  ['Hello world', ', and more'],
  [...'Hello world, and more'],
]

for (const pieces of PIECES) {
  test(`what is repeated is cut off, in ${pieces.length} pieces`, () => {
    const overlap = new Overlap('Hello world', 'must repeat')
    assert.equal(newText(overlap, pieces), ', and more')
    assert.deepEqual([overlap.remaining, overlap.isBroken], [0, false])
  })
}

for (const pieces of [['Hello there'], ['Hel', 'p'], ['hello world']]) {
  test(`${pieces.join('|')} is another answer`, () => {
    const overlap = new Overlap('Hello world', 'must repeat')
    newText(overlap, pieces)
    assert.equal(overlap.isBroken, true)
  })
}

test('a shorter answer does not contradict the sent text, but does not cover it either', () => {
  const overlap = new Overlap('Hello world', 'must repeat')
  assert.equal(newText(overlap, ['Hello']), '')
  assert.deepEqual([overlap.remaining, overlap.isBroken], [6, false])
})

test('an optional repetition may be missing', () => {
  assert.equal(newText(new Overlap('\n\n', 'may repeat'), ['\n\n', 'On']), 'On')
  assert.equal(newText(new Overlap('\n\n', 'may repeat'), ['On']), 'On')
  assert.equal(newText(new Overlap('', 'may repeat'), ['On']), 'On')
})

test('the role, and reasoning before repeated text, are not sent again', () => {
  const overlap = new Overlap('Hello', 'must repeat')
  assert.equal(overlap.cut(chunk({ role: 'assistant', content: '' })), false)
  assert.equal(overlap.cut(chunk({ reasoning_content: 'hmm' })), false)
  assert.equal(overlap.cut(chunk({ content: 'Hello' })), false)
  const later = chunk({ role: 'assistant', reasoning_content: 'hmm' })
  assert.equal(overlap.cut(later), true)
  assert.deepEqual(later.choices[0]?.delta, { reasoning_content: 'hmm' })
})

test('usage and the finish reason are always new', () => {
  const overlap = new Overlap('Hello', 'must repeat')
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  assert.equal(overlap.cut({ ...chunk({}), choices: [], usage }), true)
  assert.equal(overlap.cut({ ...chunk({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }), true)
})

test('half a surrogate pair is compared like any character', () => {
  const [high, low] = ['\ud83d', '\udc4b'] as const
  assert.equal(newText(new Overlap(`a${high}`, 'must repeat'), [`a${high}`, low]), low)
})

function newText(overlap: Overlap, pieces: string[]): string {
  const chunks = pieces.map((content) => chunk({ content }))
  return chunks
    .filter((one) => overlap.cut(one))
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .join('')
}

function sentText(text: string): SentAnswer {
  const sent = new SentAnswer()
  sent.add(chunk({ content: text }))
  return sent
}

function chunk(delta: object): ChatChunk {
  const choices = [{ index: 0, delta, finish_reason: null }]
  return { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'x', choices } as ChatChunk
}
