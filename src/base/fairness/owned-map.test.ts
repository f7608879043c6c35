import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OwnedMap } from './owned-map.ts'

test('the same name belongs to each owner separately', () => {
  const map = new OwnedMap<number>(10)
  map.set('anna', 'x', 1)
  map.set('ben', 'x', 2)
  assert.deepEqual([map.get('anna', 'x'), map.get('ben', 'x'), map.get('carl', 'x'), map.size], [1, 2, undefined, 2])
  map.delete('anna', 'x')
  map.delete('anna', 'x')
  assert.deepEqual([map.get('anna', 'x'), map.get('ben', 'x'), map.size], [undefined, 2, 1])
})

test('if the map is full, the owner with the most entries loses its oldest', () => {
  const map = new OwnedMap<number>(4)
  map.set('ben', 'first', 0)
  for (const name of ['a', 'b', 'c']) map.set('anna', name, 0)
  assert.deepEqual(map.set('carl', 'x', 0), { owner: 'anna', name: 'a' })
  assert.deepEqual(map.set('anna', 'd', 0), { owner: 'anna', name: 'b' })
  assert.deepEqual([map.size, map.get('ben', 'first'), map.get('carl', 'x')], [4, 0, 0])
})

test('an entry that is set again is the newest of its owner, and evicts nothing', () => {
  const map = new OwnedMap<number>(2)
  map.set('anna', 'a', 1)
  map.set('anna', 'b', 1)
  assert.equal(map.set('anna', 'a', 2), undefined)
  assert.deepEqual(map.set('anna', 'c', 1), { owner: 'anna', name: 'b' })
  assert.equal(map.get('anna', 'a'), 2)
})

test('weights are bounded as well, and the heaviest owner makes room', () => {
  const map = new OwnedMap<string>(100, 10)
  map.set('modest', 'a', 'a', 3)
  map.set('greedy', 'a', 'a', 3)
  map.set('greedy', 'b', 'b', 4)
  map.set('modest', 'b', 'b', 4)
  assert.deepEqual(
    [map.get('modest', 'a'), map.get('modest', 'b'), map.get('greedy', 'a'), map.get('greedy', 'b')],
    ['a', 'b', undefined, undefined],
  )
  map.set('modest', 'a', 'c', 1)
  assert.equal(map.size, 2)
})
