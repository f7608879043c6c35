import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Slots } from './slots.ts'

test('a name has its own number of slots, and all names have one together', () => {
  const slots = new Slots({ each: 2, all: 3 })
  const leave = slots.take('ada')
  slots.take('ada')
  assert.deepEqual([slots.fullFor('ada'), slots.fullFor('bob')], ['each', undefined])
  slots.take('bob')
  assert.deepEqual([slots.fullFor('ada'), slots.fullFor('eve')], ['all', 'all'])
  leave()
  leave()
  assert.deepEqual([slots.fullFor('ada'), slots.fullFor('eve')], [undefined, undefined])
  slots.take('ada')
  assert.equal(slots.fullFor('eve'), 'all', 'a slot that is given back twice is given back once')
})
