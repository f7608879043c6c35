import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { sample } from '../../../../test/soak/sample.ts'
import type { ChatRequest } from '../../../contract/chat.ts'
import { chatBody } from '../../../contract/fixtures/chat-bodies.ts'
import { difficultyOf } from './difficulty-of.ts'
import { ask } from './fixtures/routing-services.ts'

describe('signals', () => {
  const cases: [string, ChatRequest, string][] = [
    ['a long prompt', ask('word '.repeat(5_000)), 'length'],
    ['a block of code', ask('What is this? ```\nx\n```'), 'code'],
    ['a line of code', ask('Why does const a = b fail?'), 'code'],
    ['a formula', ask('Solve $$x^2$$'), 'math'],
    ['a symbol', ask('Was ist ∫ x dx?'), 'math'],
    ['a word of mathematics', ask('Resuelve la ecuación'), 'math'],
    ['several tasks', ask('Do this:\n1. one\n2. two\n3. three'), 'tasks'],
    ['tools', ask('Hi', { tools: [{}] }), 'tools'],
    ['a schema', ask('Hi', { response_format: { type: 'json_schema' } }), 'schema'],
    [
      'a long conversation',
      { ...ask('Hi'), messages: Array.from({ length: 9 }, () => ask('Hi').messages[0]!) },
      'turns',
    ],
    ['effort', ask('Hi', { reasoning_effort: 'high' }), 'effort'],
    ['thinking', ask('Hi', { thinking: { type: 'enabled' } }), 'effort'],
  ]
  for (const [name, request, signal] of cases) {
    test(name, () => {
      const { score, signals } = difficultyOf(request)
      assert.ok(signals[signal]! > 0, JSON.stringify(signals))
      assert.ok(score > difficultyOf(ask('Hi')).score)
    })
  }
})

describe('words that ask for several steps', () => {
  const prompts = [
    'Compare these two offers',
    'Analysiere den Vertrag',
    'Schritt für Schritt, bitte',
    'Démontre que c’est vrai',
    'Explique étape par étape',
    'Explícalo paso a paso',
    'Dimostra che è vero',
    'Avalie esta proposta',
    'Vergelijk deze twee',
    'Сравни эти тексты',
    '请逐步说明',
    'この二つを比較して',
    '두 가지를 비교해 줘',
    'قارن بين النصين',
  ]
  for (const prompt of prompts) test(prompt, () => assert.ok(difficultyOf(ask(prompt)).signals.steps! > 0))
})

test('a greeting is easy in any language, and a word inside a word says nothing', () => {
  for (const text of ['Hi', 'Guten Morgen!', '你好', 'Привет', 'I disapprove of incomparable predesigned things']) {
    assert.ok(difficultyOf(ask(text)).score < 0.5, text)
  }
})

test('a proof with high effort is hard', () => {
  const text = 'Prove step by step, and compare with the theorem: $$\\sum_i x_i$$\n```py\ndef f(x): return x\n```'
  assert.ok(difficultyOf(ask(text, { reasoning_effort: 'max' })).score >= 8)
})

test('a prompt with reasoning turned off counts as easier', () => {
  const text = 'Compare and analyze these'
  const plain = difficultyOf(ask(text)).score
  assert.ok(difficultyOf(ask(text, { reasoning_effort: 'none' })).score < plain)
})

test('the question is the last user message, not what tools answered after it', () => {
  const messages: ChatRequest['messages'] = [
    { role: 'user', content: 'Prove the theorem' },
    { role: 'user', content: [{ type: 'text', text: 'Thanks' }] },
    { role: 'tool', content: 'Prove the theorem', tool_call_id: 'call' },
  ]
  assert.deepEqual(Object.keys(difficultyOf({ model: '@service', messages }).signals), ['length'])
})

test('both ends of a long question are read', () => {
  const padding = 'la '.repeat(10_000)
  assert.ok(difficultyOf(ask(`Compare this: ${padding}`)).signals.steps! > 0)
  assert.ok(difficultyOf(ask(`${padding} Compare this.`)).signals.steps! > 0)
})

test('any valid request has a score from 0 to 10, the same one each time', () => {
  fc.assert(
    fc.property(chatBody, (body) => {
      const request = body as unknown as ChatRequest
      const { score } = difficultyOf(request)
      assert.ok(score >= 0 && score <= 10)
      assert.equal(difficultyOf(request).score, score)
    }),
    { numRuns: sample(60, 300) },
  )
})
