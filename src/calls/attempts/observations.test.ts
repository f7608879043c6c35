import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { speedOf } from './figures.ts'
import { type Observation, Observations } from './observations.ts'
import { MINUTE_MS, DAY_MS } from '../../base/units/units.ts'

const ASSUMED = new Observations(() => 0).of('never/seen')

test('a target without observations is assumed to be average', () => {
  assert.equal(ASSUMED.samples, 0)
  assert.ok(ASSUMED.errorRate < 0.1)
})

test('many observations outweigh the assumption', () => {
  const observations = watched(
    Array.from({ length: 30 }, () => call({ firstTokenMs: 200, durationMs: 2_200, tokens: 400 })),
  )
  const { firstTokenMs, tokensPerSecond, errorRate, samples } = observations.of('any/model')
  assert.ok(Math.abs(firstTokenMs - 200) < 30, String(firstTokenMs))
  assert.ok(Math.abs(tokensPerSecond - 200) < 10, String(tokensPerSecond))
  assert.ok(errorRate < 0.01)
  assert.equal(samples, 30)
})

test('a whole answer tells of the speed but not of the first token', () => {
  const { firstTokenMs, tokensPerSecond } = watched([call({ firstTokenMs: null, durationMs: 1_000, tokens: 500 })]).of(
    'any/model',
  )
  assert.equal(firstTokenMs, ASSUMED.firstTokenMs)
  assert.ok(tokensPerSecond > ASSUMED.tokensPerSecond)
})

test('a very short answer, or one without counts, tells nothing of the speed', () => {
  const observations = watched([
    call({ tokens: 2 }),
    call({ tokens: null }),
    call({ firstTokenMs: 50, durationMs: 50 }),
  ])
  assert.equal(observations.of('any/model').tokensPerSecond, ASSUMED.tokensPerSecond)
})

test('a failure counts as one, and its times are not taken for speed', () => {
  const { errorRate, firstTokenMs, tokensPerSecond } = watched([call({ failed: true, firstTokenMs: 1 })]).of(
    'any/model',
  )
  assert.ok(errorRate > 0.2 && errorRate < 0.5, String(errorRate))
  assert.deepEqual([firstTokenMs, tokensPerSecond], [ASSUMED.firstTokenMs, ASSUMED.tokensPerSecond])
})

test('a few failures in a row mark a target as failing; successes revert that', () => {
  const observations = watched(Array.from({ length: 4 }, () => call({ failed: true })))
  assert.ok(observations.of('any/model').errorRate > 0.5)
  for (let count = 0; count < 10; count++) observations.note(call({}))
  assert.ok(observations.of('any/model').errorRate < 0.3)
})

test('the newest calls count however many came before', () => {
  const observations = watched(Array.from({ length: 10_000 }, () => call({ firstTokenMs: 100 })))
  for (let count = 0; count < 60; count++) observations.note(call({ firstTokenMs: 3_000, durationMs: 4_000 }))
  assert.ok(observations.of('any/model').firstTokenMs > 2_000)
})

test('observations fade with time, even if the target is not used any more', () => {
  let now = 0
  const observations = new Observations(() => now)
  for (let count = 0; count < 10; count++) observations.note(call({ failed: true }))
  const fresh = observations.of('any/model').errorRate
  now = 10 * MINUTE_MS
  const older = observations.of('any/model')
  assert.equal(older.samples, 5)
  assert.ok(older.errorRate < fresh)
  now = DAY_MS
  assert.ok(Math.abs(observations.of('any/model').errorRate - ASSUMED.errorRate) < 0.001)
})

test('a clock that is set back changes nothing', () => {
  let now = 10 * MINUTE_MS
  const observations = new Observations(() => now)
  observations.note(call({}))
  now = 0
  observations.note(call({}))
  assert.equal(observations.of('any/model').samples, 2)
})

test('the newest note is seen at once', () => {
  const observations = watched([call({})])
  const before = observations.of('any/model').errorRate
  observations.note(call({ failed: true }))
  assert.ok(observations.of('any/model').errorRate > before)
})

test('at most 2,000 targets are remembered; those used longest ago are forgotten first', () => {
  const observations = new Observations(() => 0)
  for (let count = 0; count < 2_000; count++) observations.note(call({ target: `any/${count}` }))
  observations.note(call({ target: 'any/0' }))
  for (let count = 2_000; count < 2_500; count++) observations.note(call({ target: `any/${count}` }))
  assert.equal(observations.size, 2_000)
  assert.equal(observations.of('any/0').samples, 2)
  assert.equal(observations.of('any/1').samples, 0)
  assert.equal(observations.of('any/2499').samples, 1)
})

test('one owner’s failures and slow calls are its own affair: others expect what they expected', () => {
  const observations = new Observations(() => 0)
  for (let count = 0; count < 100; count++) {
    observations.note(call({ failed: true }))
    observations.note(call({ firstTokenMs: 60_000, durationMs: 600_000 }))
  }
  assert.ok(observations.seenBy('anna').of('any/model').errorRate > 0.4)
  assert.deepEqual(observations.seenBy('ben').of('any/model'), ASSUMED)
})

test('alone, an owner expects what all together have seen', () => {
  const observations = watched([call({ failed: true }), call({ firstTokenMs: 90 }), call({})])
  assert.deepEqual(observations.seenBy('anna').of('any/model'), observations.of('any/model'))
})

test('what two owners agree on is believed by a third, as far as both have seen it', () => {
  const observations = new Observations(() => 0)
  for (let count = 0; count < 30; count++) {
    observations.note(call({ failed: true }))
    observations.note(call({ owner: 'ben', failed: true }))
    observations.note(call({ firstTokenMs: 60_000, durationMs: 70_000 }))
    observations.note(call({ owner: 'ben', firstTokenMs: 2_000 }))
  }
  const { errorRate, firstTokenMs } = observations.seenBy('carl').of('any/model')
  assert.ok(errorRate > 0.3, String(errorRate))
  assert.ok(firstTokenMs > 1_800 && firstTokenMs <= 2_000, String(firstTokenMs))
})

test('no owner can move what others expect further than another owner confirms', () => {
  const observations = new Observations(() => 0)
  for (const owner of ['ben', 'carl', 'dora', 'emil'])
    for (let count = 0; count < 10; count++) observations.note(call({ owner, firstTokenMs: 300 }))
  const before = observations.seenBy('frida').of('any/model')
  for (let count = 0; count < 1_000; count++) observations.note(call({ failed: true }))
  for (let count = 0; count < 1_000; count++) observations.note(call({ firstTokenMs: 60_000, durationMs: 70_000 }))
  const after = observations.seenBy('gerd').of('any/model', 10_000)
  assert.ok(Math.abs(after.firstTokenMs - before.firstTokenMs) < 20, String(after.firstTokenMs))
  assert.ok(after.errorRate < 0.02, String(after.errorRate))
})

test('what many owners see once each is believed as what one sees often', () => {
  const observations = new Observations(() => 0)
  for (let owner = 0; owner < 100; owner++) observations.note(call({ owner: `owner ${owner}`, failed: true }))
  assert.ok(observations.seenBy('anna').of('any/model').errorRate > 0.8)
})

test('an owner that invents targets pushes out only its own entries', () => {
  const observations = new Observations(() => 0)
  for (let count = 0; count < 20; count++) observations.note(call({ owner: 'ben', target: `ben/${count}` }))
  for (let count = 0; count < 3_000; count++) observations.note(call({ target: `made/up${count}` }))
  for (let count = 0; count < 20; count++) assert.equal(observations.of(`ben/${count}`).samples, 1)
  assert.equal(observations.size, 2_000)
})

test('figures stay within what was observed and assumed', () => {
  const some = fc.record({
    firstTokenMs: fc.option(fc.nat(100_000)),
    tokens: fc.option(fc.nat(10_000)),
    durationMs: fc.nat(200_000),
    failed: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(some, { maxLength: 60 }), (calls) => {
      const { firstTokenMs, tokensPerSecond, errorRate } = watched(calls.map(call)).of('any/model')
      assert.ok(firstTokenMs >= 0 && firstTokenMs <= 60_000)
      assert.ok(Number.isFinite(tokensPerSecond) && tokensPerSecond > 0)
      assert.ok(errorRate > 0 && errorRate < 1)
    }),
  )
})

function call(rest: Partial<Observation>): Observation {
  return {
    target: 'any/model',
    owner: 'anna',
    firstTokenMs: 500,
    tokens: 100,
    durationMs: 2_500,
    failed: false,
    ...rest,
  }
}

function watched(calls: readonly Observation[]): Observations {
  const observations = new Observations(() => 0)
  for (const one of calls) observations.note(one)
  return observations
}

test('the highest speed of an answer is kept for one or two days, for the callers of all owners, and then forgotten', () => {
  let now = 0
  const observations = new Observations(() => now)
  assert.equal(observations.fastestOf('any/model'), undefined)
  for (const [owner, speed] of [
    ['anna', 40],
    ['ben', 90],
    ['anna', undefined],
    ['ben', 50],
  ] as const)
    observations.note({ ...call({}), owner, speed })
  assert.equal(observations.fastestOf('any/model'), 90)
  now = 30 * 60 * MINUTE_MS
  observations.note({ ...call({}), speed: 50 })
  assert.equal(observations.fastestOf('any/model'), 90)
  now = 50 * 60 * MINUTE_MS
  assert.equal(observations.fastestOf('any/model'), 50)
  now = 100 * 60 * MINUTE_MS
  assert.equal(observations.fastestOf('any/model'), undefined)
})

test('the speed of an answer is rather too high: the wait for its first word is not a part of the writing', () => {
  const whole = { firstTokenMs: null, tokens: 100, durationMs: 2_000, hiddenTokens: 0, answers: 1 }
  assert.equal(speedOf({ ...whole, firstTokenMs: 1_000 }), 100)
  assert.equal(speedOf(whole), 100_000 / 1_200)
  assert.equal(speedOf({ ...whole, durationMs: 400 }), 500)
  // What a model thinks before its first word is written in that time.
  assert.equal(speedOf({ ...whole, firstTokenMs: 1_900, hiddenTokens: 90 }), 100_000 / 1_200)
  assert.equal(speedOf({ ...whole, durationMs: 0 }), 100_000)
  for (const odd of [{ tokens: 7 }, { tokens: null }, { answers: 8 }])
    assert.equal(speedOf({ ...whole, ...odd }), undefined)
})
