import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OpenAlert, nextStep, type Step } from './next-step.ts'

const TIMES = { forSeconds: 60, clearSeconds: 300 }
const PENDING: OpenAlert = { state: 'pending', since: 0, clearSince: null }
const OPEN: OpenAlert = { state: 'open', since: 0, clearSince: null }
const CLEARING: OpenAlert = { ...OPEN, clearSince: 100_000 }

const CASES: [string, OpenAlert | undefined, 'high' | 'between' | undefined, number, Step][] = [
  ['nothing is wrong', undefined, undefined, 0, { do: 'nothing' }],
  ['nearly wrong is no reason', undefined, 'between', 0, { do: 'nothing' }],
  ['a new condition is noted', undefined, 'high', 0, { do: 'wait' }],
  ['it has not lasted long enough', PENDING, 'high', 59_999, { do: 'nothing' }],
  ['it has lasted', PENDING, 'high', 60_000, { do: 'open' }],
  ['it did not last', PENDING, 'between', 30_000, { do: 'drop' }],
  [
    'the clock was set back while it waits',
    { ...PENDING, since: 9_000 },
    'high',
    5_000,
    { do: 'note', since: 5_000, clearSince: null },
  ],
  ['it goes on', OPEN, 'high', 90_000, { do: 'nothing' }],
  ['it is nearly over', OPEN, 'between', 90_000, { do: 'nothing' }],
  ['it seems to be over', OPEN, undefined, 100_000, { do: 'note', since: 0, clearSince: 100_000 }],
  ['it is not over yet', CLEARING, undefined, 399_999, { do: 'nothing' }],
  ['it comes back', CLEARING, 'high', 399_999, { do: 'note', since: 0, clearSince: null }],
  ['it has been over for long enough', CLEARING, undefined, 400_000, { do: 'resolve' }],
  ['the clock was set back while it ends', CLEARING, undefined, 50_000, { do: 'note', since: 0, clearSince: 50_000 }],
]

for (const [what, known, level, now, step] of CASES)
  test(what, () => {
    assert.deepEqual(nextStep(known, level, TIMES, now), step)
  })

test('a rule without times opens and resolves at once', () => {
  const times = { forSeconds: 0, clearSeconds: 0 }
  assert.deepEqual(nextStep(undefined, 'high', times, 0), { do: 'open' })
  assert.deepEqual(nextStep(OPEN, undefined, times, 0), { do: 'resolve' })
})

test('a condition that comes and goes with every look is told once', () => {
  let known: OpenAlert | undefined
  const told: string[] = []
  for (let look = 0; look < 400; look++) {
    const now = look * 15_000
    const step = nextStep(known, look % 8 < 6 ? 'high' : undefined, TIMES, now)
    if (step.do === 'wait') known = { ...PENDING, since: now }
    if (step.do === 'open') known = { ...OPEN, since: now }
    if (step.do === 'note') known = { ...known!, since: step.since, clearSince: step.clearSince }
    if (step.do === 'drop' || step.do === 'resolve') known = undefined
    if (step.do === 'open' || step.do === 'resolve') told.push(step.do)
  }
  assert.deepEqual(told, ['open'])
})
