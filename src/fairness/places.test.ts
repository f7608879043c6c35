import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Places } from './places.ts'

test('a name has its own number of places, and all names have one together', () => {
  const places = new Places({ each: 2, all: 3 })
  const leave = places.take('ada')
  places.take('ada')
  assert.deepEqual([places.fullFor('ada'), places.fullFor('bob')], ['each', undefined])
  places.take('bob')
  assert.deepEqual([places.fullFor('ada'), places.fullFor('eve')], ['all', 'all'])
  leave()
  leave()
  assert.deepEqual([places.fullFor('ada'), places.fullFor('eve')], [undefined, undefined])
  places.take('ada')
  assert.equal(places.fullFor('eve'), 'all', 'a place that is given back twice is given back once')
})
