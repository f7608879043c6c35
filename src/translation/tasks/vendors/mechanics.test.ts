import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joined, numberAt, textAt, textsAt, valueAt } from '../results/loose-fields.ts'
import { deepgramQuery } from './deepgram.ts'

test('loose fields: what is not there in the expected shape is not there', () => {
  const answer = { a: [{ b: ' x ', c: '€1.234,50', d: 7, e: null, f: '' }] }
  assert.equal(valueAt(answer, 'a', 0, 'd'), 7)
  assert.equal(valueAt(answer, 'a', 'b', 'c'), undefined)
  assert.deepEqual(
    ['b', 'd', 'e', 'f', 'g'].map((key) => textAt(answer, 'a', 0, key)),
    ['x', '7', null, null, null],
  )
  assert.deepEqual(
    ['c', 'd', 'e', 'f'].map((key) => numberAt(answer, 'a', 0, key)),
    [1234.5, 7, null, null],
  )
  assert.deepEqual(textsAt(['a', 1, '', null]), ['a'])
  assert.deepEqual([joined(['a', null, 'b']), joined([null])], ['a, b', null])
})

test('a query leaves out what is null and repeats what is a list', () => {
  assert.equal(deepgramQuery({ a: 1, b: null, c: ['x', 'y z'], d: true, e: undefined, f: [] }), '?a=1&c=x&c=y+z&d=true')
})
