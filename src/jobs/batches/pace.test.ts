import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from './pace.ts'

const SIGNAL = new AbortController().signal

test('what lines have left is collected after 64 of them while no other request is there, and at last after 256', async () => {
  let others = 0
  let collections = 0
  // The second look of a turn asks whether the process is busy, and would make the line wait.
  let looks = 0
  const pace = new Pace(
    () => (++looks % 2 === 1 ? others : 0),
    () => collections++,
  )
  const begin = async (lines: number) => {
    for (let line = 0; line < lines; line++) await pace.turn(SIGNAL)
    return collections
  }
  assert.deepEqual([await begin(63), await begin(1)], [0, 1])
  others = 1
  assert.deepEqual([await begin(255), await begin(1)], [1, 2])
  assert.equal(await begin(100), 2)
  others = 0
  assert.equal(await begin(1), 3)
})
