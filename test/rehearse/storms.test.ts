import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomCuts } from './storms/cuts.ts'
import { crossTalk } from './storms/cross-talk.ts'
import { leaving } from './storms/leaving.ts'
import { openAndCancel } from './storms/open-and-cancel.ts'

// A sample of each storm; `npm run rehearse` runs all of them.

const STORMS = [
  { holds: 'no stream that is cut anywhere looks complete', storm: randomCuts, count: 40 },
  { holds: 'the provider is hung up on, whenever a client leaves', storm: leaving, count: 20 },
  { holds: 'streams that are opened and left release all that they held', storm: openAndCancel, count: 60 },
  { holds: "no caller gets another's word, also if some leave early", storm: crossTalk, count: 80 },
]

for (const { holds, storm, count } of STORMS) {
  test(`${holds}: ${count} tries`, async () => {
    const { wrong, got } = await storm({ count })
    assert.deepEqual(wrong, [], got)
  })
}
