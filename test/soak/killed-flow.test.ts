import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killedFlow } from './killed-flow.ts'

// A sample. `npm run soak` runs all of it.

test('nothing is lost, stuck or changed when the process is killed 3 times while 120 jobs flow', async () => {
  const found = await killedFlow({ jobs: 120, kills: 3, lifeMs: 150, endWithinMs: 60_000 })
  const { acknowledged, lost, stuck, changedAfterEnd, deliveriesLost, repetitionsThatDiffer } = found
  assert.deepEqual(
    { acknowledged, lost, stuck, changedAfterEnd, deliveriesLost, repetitionsThatDiffer },
    { acknowledged: 120, lost: 0, stuck: 0, changedAfterEnd: 0, deliveriesLost: 0, repetitionsThatDiffer: 0 },
  )
})
