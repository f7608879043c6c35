import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CASES, isSlow } from '../../rehearse/cases.ts'
import {
  accounting,
  floodOfOneModel,
  malformedIsCounted,
  outage,
  retryBudget,
  runLong,
} from '../../rehearse/long-cases.ts'
import { type Result, runCase } from '../../rehearse/run-case.ts'
import { openStage, RELAXED_SCALE, type Stage } from '../../rehearse/stage.ts'

// What a caller gets from providers that fail in every known way, with compressed time; `npm run rehearse` uses real time.

const stage = await openStage('compressed')
let relaxed: Promise<Stage> | undefined
after(async () => {
  await stage.close()
  await (await relaxed)?.close()
})

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
    const { wrong, got } = await orWithMoreTime(waiting.get(one) ?? runCase(one, stage), (slower) =>
      runCase(one, slower),
    )
    assert.deepEqual(wrong, [], got)
  })
}

for (const long of [outage, malformedIsCounted, accounting, retryBudget, floodOfOneModel]) {
  test(long.title, async () => {
    const { wrong, got } = await orWithMoreTime(runLong(long, stage), (slower) => runLong(long, slower))
    assert.deepEqual(wrong, [], got)
  })
}

/** A busy machine may be too slow for compressed time: a case that went wrong is judged again with five times as much. */
async function orWithMoreTime<Judged extends Pick<Result, 'wrong'>>(
  first: Promise<Judged>,
  again: (slower: Stage) => Promise<Judged>,
): Promise<Judged> {
  const judged = await first
  if (judged.wrong.length === 0) return judged
  relaxed ??= openStage('compressed', RELAXED_SCALE)
  return again(await relaxed)
}
