import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenExports } from './open-exports.ts'

test('a reader who takes nothing for a minute is given up, one who takes something now and then is not', () => {
  const { exports, at } = exportsAt()
  const ended: string[] = []
  const idle = exports.open('ada', () => ended.push('idle'))
  const slow = exports.open('ada', () => ended.push('slow'))
  idle.offer()
  slow.offer()
  at(50_000)
  slow.taken()
  slow.offer()
  at(59_999)
  assert.deepEqual(ended, [])
  at(60_000)
  assert.deepEqual(ended, ['idle'])
  idle.leave()
  at(109_999)
  assert.deepEqual(ended, ['idle'])
  at(110_000)
  assert.deepEqual(ended, ['idle', 'slow'])
  slow.leave()
})

test('what takes long to make is not given up: its reader has nothing to take', () => {
  const { exports, at } = exportsAt()
  const ended: string[] = []
  const place = exports.open('ada', () => ended.push('one'))
  at(600_000)
  place.offer()
  place.taken()
  at(1_200_000)
  assert.deepEqual(ended, [])
  place.leave()
})

function exportsAt() {
  let now = 0
  const exports = new OpenExports({ monotonic: () => now })
  const at = (ms: number) => {
    now = ms
    exports.endIdle()
  }
  return { exports, at }
}
