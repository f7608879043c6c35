import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { inOrder, vectorOf } from './vectors-in-order.ts'

test('vectors that are numbered are put in the order of their texts, others stay as they came', () => {
  const numbered = [1, 0].map((index) => ({ index, embedding: [index] }))
  assert.deepEqual(inOrder(numbered, 2).map(vectorOf), [[0], [1]])
  const unnumbered = [{ embedding: [1] }, { index: 0, embedding: [0] }]
  assert.deepEqual(inOrder(unnumbered, 2).map(vectorOf), [[1], [0]])
})

test('too few vectors, and several for one text, are a problem of the provider', () => {
  assert.throws(() => inOrder([{ embedding: [1] }], 2), UpstreamProblem)
  assert.throws(() => vectorOf({ embeddings: [[1], [2]] }), UpstreamProblem)
})
