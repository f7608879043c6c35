import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sample } from '../soak/sample.ts'
import { pinnedCases } from './cases.ts'
import { type PinnedGateway, startPinnedGateway } from './pinned-gateway.ts'
import { recordedCalls } from './recorded.ts'

// A change that should change nothing changes nothing of this. `npm run pin` records anew what was changed on purpose.

/** `npm test` tries one of so many calls, and `npm run soak` all. */
const ONE_OF = sample(12, 1)

describe('a call does what it did when it was recorded:', () => {
  let gateway: PinnedGateway
  before(async () => {
    gateway = await startPinnedGateway()
  })
  after(() => gateway.close())
  const recorded = recordedCalls()
  const cases = pinnedCases()

  test('every case is recorded, and none twice', () => {
    assert.deepEqual(
      cases.map(({ name }) => name),
      [...recorded.keys()],
    )
  })

  for (const [index, pinned] of cases.entries())
    if (index % ONE_OF === 0)
      test(pinned.name, async () => {
        assert.deepEqual(JSON.parse(JSON.stringify(await gateway.record(pinned))), recorded.get(pinned.name))
      })
})
