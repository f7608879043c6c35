import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OwnerLoads } from './owner-loads.ts'

test('a single owner is heavy, and an owner without load never is', () => {
  const loads = new OwnerLoads()
  assert.equal(loads.isHeavy('a', 1), false)
  loads.began('a', 1)
  assert.equal(loads.isHeavy('a', 1), true)
  assert.equal(loads.isHeavy('b', 1_000), false)
})

test('the owner with the most load is heavy, by requests in flight and by their size', () => {
  const loads = new OwnerLoads()
  for (let open = 0; open < 100; open++) loads.began('streams', 1)
  loads.began('small', 1)
  loads.began('large', 1_500)
  assert.deepEqual(
    ['streams', 'small', 'large'].map((owner) => loads.isHeavy(owner, 1)),
    [false, false, true],
  )
  assert.equal(loads.isHeavy('streams', 4), true, 'under more pressure the next owner becomes heavy too')
  assert.equal(loads.isHeavy('small', 4), false)
})

test('old work is forgotten, work in flight is not', () => {
  const loads = new OwnerLoads()
  loads.began('past', 1_000)
  loads.ended('past')
  for (let open = 0; open < 10; open++) loads.began('open', 1)
  assert.deepEqual([loads.isHeavy('past', 1), loads.isHeavy('open', 1)], [true, false])
  for (let times = 0; times < 40; times++) loads.fade()
  assert.deepEqual([loads.isHeavy('past', 1), loads.isHeavy('open', 1)], [false, true])
})

test('an owner that is refused and keeps asking stays heavy', () => {
  const loads = new OwnerLoads()
  loads.began('small', 1)
  for (let times = 0; times < 50; times++) loads.refused('asks on')
  assert.deepEqual([loads.isHeavy('asks on', 1), loads.isHeavy('small', 1)], [true, false])
})
