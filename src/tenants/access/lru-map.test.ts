import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LruMap } from './lru-map.ts'

test('forgets the entry that was not used for the longest time', () => {
  const map = new LruMap<number>(3)
  for (const [index, name] of ['a', 'b', 'c'].entries()) map.set(name, index)
  assert.equal(map.get('a'), 0)
  assert.equal(map.has('b'), true)
  map.set('d', 3)
  assert.deepEqual([...map.names()].sort(), ['a', 'c', 'd'])
  map.set('c', 9)
  map.set('e', 4)
  assert.deepEqual(Object.fromEntries(map.entries()), { c: 9, d: 3, e: 4 })
})

test('agrees with a simple model of it over 20,000 random operations', () => {
  const [map, model] = [new LruMap<number>(20), new Map<string, number>()]
  for (let step = 0; step < 20_000; step++) {
    const name = String(Math.floor(Math.random() * 40))
    const operation = Math.floor(Math.random() * 100)
    if (operation < 50) assert.equal(map.get(name), used(model, name))
    else if (operation < 90) set(name, step)
    else if (operation < 99) for (const one of [map, model]) one.delete(name)
    else clear()
    assert.deepEqual([map.size, map.has(name)], [model.size, model.has(name)])
  }
  assert.deepEqual(new Map(map.entries()), new Map(model))

  function set(name: string, value: number) {
    map.set(name, value)
    model.delete(name)
    model.set(name, value)
    if (model.size > 20) model.delete(model.keys().next().value!)
  }

  function clear() {
    map.clear()
    model.clear()
  }
})

function used(model: Map<string, number>, name: string): number | undefined {
  const value = model.get(name)
  if (value !== undefined) {
    model.delete(name)
    model.set(name, value)
  }
  return value
}
