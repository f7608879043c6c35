import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestEffort } from './effort.ts'

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

test('a supported effort stays; else the next weaker one that thinks, else the next stronger one', () => {
  const of = (known: string[]) => EFFORTS.map((word) => nearestEffort(word, known))
  assert.deepEqual(of(EFFORTS), EFFORTS)
  assert.deepEqual(of(['low', 'medium', 'high']), ['low', 'low', 'low', 'medium', 'high', 'high', 'high'])
  assert.deepEqual(of(['none', 'high']), ['none', 'high', 'high', 'high', 'high', 'high', 'high'])
  assert.deepEqual(of(['max', 'low']), ['low', 'low', 'low', 'low', 'low', 'low', 'max'])
  assert.deepEqual(of(['none', 'default']), ['none', 'default', 'default', 'default', 'default', 'default', 'default'])
})

test('the stronger one first, where the model means it so', () => {
  const known = ['low', 'high']
  assert.deepEqual(
    EFFORTS.map((word) => nearestEffort(word, known, 'stronger')),
    ['low', 'low', 'low', 'high', 'high', 'high', 'high'],
  )
})

test('a model without a list of efforts keeps the requested one', () => assert.equal(nearestEffort('high', []), 'high'))
