import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toNumber, toText } from './to-primitive.ts'

const HOSTILE = JSON.parse('{"toString":1,"valueOf":null}') as object

test('an object that cannot be converted is a text and no number', () => {
  assert.throws(() => String(HOSTILE), TypeError)
  assert.equal(toText(HOSTILE), '[object Object]')
  assert.ok(Number.isNaN(toNumber(HOSTILE)) && Number.isNaN(toNumber([HOSTILE])))
})

test('everything else is converted as usual', () => {
  assert.deepEqual([null, undefined, 1.5, 'a', true].map(toText), ['null', 'undefined', '1.5', 'a', 'true'])
  assert.deepEqual([null, '3', 4, true].map(toNumber), [0, 3, 4, 1])
  assert.ok(Number.isNaN(toNumber(undefined)))
})
