import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CASES, isSlow } from '../rehearse/cases.ts'
import {
  accounting,
  floodOfOneModel,
  malformedIsCounted,
  outage,
  retryBudget,
  runLong,
} from '../rehearse/long-cases.ts'
import { runCase } from '../rehearse/run-case.ts'
import { openStage } from '../rehearse/stage.ts'

// What a caller gets from providers that fail in every known way, with compressed time; `npm run rehearse` uses real time.

const stage = await openStage('compressed')
after(() => stage.close())

const slow = CASES.filter(isSlow)
const waiting = new Map(slow.map((one) => [one, runCase(one, stage)]))

test('cases that run beside others wait for no retry: the waits that are seen belong to the one that runs', () => {
  assert.deepEqual(
    slow.filter(({ expect }) => expect.waits),
    [],
  )
})

for (const one of CASES) {
  test(one.title, async () => {
    const { wrong, got } = await (waiting.get(one) ?? runCase(one, stage))
    assert.deepEqual(wrong, [], got)
  })
}

for (const long of [outage, malformedIsCounted, accounting, retryBudget, floodOfOneModel]) {
  test(long.title, async () => {
    const { wrong, got } = await runLong(long, stage)
    assert.deepEqual(wrong, [], got)
  })
}
