import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomCuts } from './storms/cuts.ts'
import { crossTalk } from './storms/cross-talk.ts'
import { leaving } from './storms/leaving.ts'
import { openAndCancel } from './storms/open-and-cancel.ts'

// A sample of each storm; `npm run rehearse` runs all of them.

const STORMS = [
  { storm: randomCuts, count: 40 },
  { storm: leaving, count: 20 },
  { storm: openAndCancel, count: 60 },
  { storm: crossTalk, count: 80 },
]

for (const { storm, count } of STORMS) {
  test(`${count} × ${storm.name}`, async () => {
    const { wrong, got } = await storm({ count })
    assert.deepEqual(wrong, [], got)
  })
}
