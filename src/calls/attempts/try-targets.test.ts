import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem, problem } from '../../contract/problems.ts'
import type { ProblemKind } from '../../translation/wire/upstream-problem.ts'
import type { FailureKind } from '../../translation/wire/wire.ts'
import { Circuits } from './circuits.ts'
import { FAILURES } from './failures.ts'
import { RetryBudget } from './retry-budget.ts'
import { NO_RETRIES, play, failureOf, target, providerWith } from './fixtures/play-targets.ts'

/** The owner of the calls in these tests. */
const KEYLESS_CALLER = requesterOf('owner')
const KINDS = Object.keys(FAILURES) as (FailureKind | ProblemKind)[]

for (const kind of KINDS) {
  const { next } = FAILURES[kind]
  const waits = next === 'retry' || kind === 'rate_limited' ? [300] : []

  test(`${kind}, the last target: ${waits.length === 0 ? 'asked once' : 'asked again once'}`, async () => {
    const scene = play({ targets: [target('only')], replies: () => failureOf(kind) })
    await assert.rejects(scene.outcome, Problem)
    assert.deepEqual([scene.requests.length, scene.waits], [1 + waits.length, waits])
    assert.deepEqual(new Set(scene.call.record.attempts.map(({ outcome }) => outcome)), new Set([kind]))
  })

  test(`${kind} and another target left: ${next === 'stop' ? 'no other target is asked' : 'it is asked at once'}`, async () => {
    const scene = play({
      targets: [target('first'), target('second')],
      replies: (name) => (name === 'first #0' ? failureOf(kind) : 'hello'),
    })
    if (next === 'stop') await assert.rejects(scene.outcome, Problem)
    else assert.equal((await scene.outcome).reply, 'hello')
    const requests = next === 'stop' ? ['first #0'] : ['first #0', 'second #0']
    assert.deepEqual([scene.requests, scene.waits], [requests, []])
  })
}

const RETRY_AFTER: [number, number[]][] = [
  [0, [300]],
  [0.75, [750]],
  [1, [1_000]],
  [30, [30_000]],
  [31, []],
  [999_999, []],
]

for (const [seconds, waits] of RETRY_AFTER) {
  test(`Retry-After ${seconds}: waits of ${waits.length === 0 ? 'nothing, it is left' : `${waits} ms`}`, async () => {
    const limited = failureOf('rate_limited', seconds)
    const scene = play({ targets: [target('only')], replies: () => limited })
    await assert.rejects(scene.outcome, ({ code, details }: Problem) => {
      return code === 'rate_limited' && details.retryAfterSeconds === seconds
    })
    assert.deepEqual(scene.waits, waits)
  })
}

test('an empty retry budget allows no retry', async () => {
  const retries = new RetryBudget({ toBeginWith: 1, perRequest: 0 })
  const scene = play({
    targets: [{ ...target('only'), retries: 5 }],
    replies: () => failureOf('server_error'),
    retries,
  })
  await assert.rejects(scene.outcome, Problem)
  assert.equal(scene.requests.length, 2)
})

for (const kind of ['rate_limited', 'auth'] as const) {
  test(`${kind}: the next credential is used at once, and the first cools down`, async () => {
    const scene = play({
      targets: [target('only', 2)],
      replies: (name) => (name === 'only #0' ? failureOf(kind) : 'hello'),
    })
    assert.equal((await scene.outcome).reply, 'hello')
    assert.deepEqual([scene.requests, scene.waits], [['only #0', 'only #1'], []])
    assert.deepEqual(
      [scene.circuits.allows('only #0', scene.requester), scene.circuits.allows('only #1', scene.requester)],
      [false, true],
    )
  })
}

test('all credentials are refused: the next target, each asked once', async () => {
  const scene = play({
    targets: [target('first', 3), target('second')],
    replies: (name) => (name.startsWith('first') ? failureOf('auth') : 'hello'),
  })
  assert.equal((await scene.outcome).reply, 'hello')
  assert.deepEqual(scene.requests, ['first #0', 'first #1', 'first #2', 'second #0'])
})

test('a target whose circuit is open is not called; alone it answers 503 and says when', async () => {
  const circuits = new Circuits(() => 0)
  for (let time = 0; time < 5; time++) circuits.failed('first #0', KEYLESS_CALLER, { because: 'reset' })
  const helped = play({ targets: [target('first'), target('second')], replies: () => 'hello', circuits })
  assert.equal((await helped.outcome).attempt.target.id, 'second')
  const alone = play({ targets: [target('first')], replies: () => 'hello', circuits })
  await assert.rejects(
    alone.outcome,
    ({ status, details }: Problem) => status === 503 && details.retryAfterSeconds === 20,
  )
  assert.deepEqual([helped.requests, alone.requests], [['second #0'], []])
})

test('if one target cannot take the request, another may; the refusal of the last one is reported', async () => {
  const cannot = problem('validation_error', { message: 'no such thing on this wire' })
  const helped = play({
    targets: [target('first'), target('second')],
    replies: (name) => (name === 'first #0' ? cannot : 'hello'),
  })
  assert.equal((await helped.outcome).attempt.target.id, 'second')
  await assert.rejects(play({ targets: [target('only')], replies: () => cannot }).outcome, cannot)
})

test('a target that could not be asked at all does not hide why the one before it failed', async () => {
  const cannot = problem('validation_error', { message: 'no such thing on this wire' })
  const replies = (name: string) => (name === 'ill #0' ? failureOf('overloaded') : cannot)
  for (const order of [
    ['ill', 'other'],
    ['other', 'ill'],
    ['ill', 'other', 'third'],
  ]) {
    const scene = play({ targets: order.map((id) => target(id)), replies })
    await assert.rejects(scene.outcome, { status: 503, message: 'ill: no' }, `${order}`)
  }
})

test('if the caller leaves during a wait, no target is asked again', async () => {
  const leave = new AbortController()
  const scene = play({ targets: [target('only')], replies: () => failureOf('server_error'), leave })
  await assert.rejects(scene.outcome, { message: 'left' })
  assert.equal(scene.requests.length, 1)
})

test('a caller who leaves during a call says nothing about the target', async () => {
  const leave = new AbortController()
  const scene = play({
    targets: [target('first'), target('second')],
    replies: () => {
      leave.abort(new Error('left'))
      return failureOf('reset')
    },
    leave,
  })
  await assert.rejects(scene.outcome, { message: 'left' })
  assert.deepEqual([scene.requests, scene.circuits.list()], [['first #0'], []])
  assert.deepEqual(
    scene.call.record.attempts.map(({ outcome }) => outcome),
    ['abandoned'],
  )
})

test('rehearsals of failures open no circuit', async () => {
  const sandbox = { ...target('sandbox/cut'), provider: { ...providerWith(1), id: 'sandbox', simulated: true } }
  const circuits = new Circuits(() => 0, { openAfter: 1 })
  await assert.rejects(play({ targets: [sandbox], replies: () => failureOf('reset'), circuits }).outcome)
  assert.deepEqual(circuits.list(), [])
})

test('one owner’s failures use up no retries of the others', async () => {
  const retries = new RetryBudget({ toBeginWith: 1, perRequest: 0 })
  for (let time = 0; time < 5; time++)
    await assert.rejects(play({ targets: [target('only')], replies: () => failureOf('conflict'), retries }).outcome)
  const scene = play({ targets: [target('only')], replies: () => failureOf('conflict'), retries, owner: 'another' })
  await assert.rejects(scene.outcome, Problem)
  assert.equal(scene.requests.length, 2)
})

test('retries before a fallback: the caller’s wish, else the target’s; each target has its own', async () => {
  const targets = [{ ...target('first'), retries: 2 }, target('second')]
  const replies = (name: string) => (name === 'second #0' ? 'hello' : failureOf('server_error'))
  const ofTarget = play({ targets, replies })
  assert.equal((await ofTarget.outcome).reply, 'hello')
  assert.deepEqual([ofTarget.requests.length, ofTarget.waits], [4, [300, 600]])
  const ofCaller = play({ targets, replies, wish: 1 })
  assert.equal((await ofCaller.outcome).reply, 'hello')
  assert.deepEqual(ofCaller.requests, ['first #0', 'first #0', 'second #0'])
  const none = play({ targets: [target('only')], replies, wish: 0 })
  await assert.rejects(none.outcome, Problem)
  assert.deepEqual(none.requests, ['only #0'])
})

test('a request that the client sends again gets no retry of ours, but its fallbacks and other credentials', async () => {
  const targets = [{ ...target('first', 2), retries: 3 }, target('second')]
  const replies = (name: string) => (name === 'second #0' ? 'hello' : failureOf('rate_limited'))
  const scene = play({ targets, replies, isSentAgain: true, wish: 4 })
  assert.equal((await scene.outcome).reply, 'hello')
  assert.deepEqual([scene.requests, scene.waits], [['first #0', 'first #1', 'second #0'], []])
})

test('a call does not wait for a retry that its time does not allow', async () => {
  const limited = failureOf('rate_limited', 20)
  const scene = play({ targets: [target('only')], replies: () => limited, endsAt: 20_000 })
  await assert.rejects(scene.outcome, Problem)
  assert.deepEqual([scene.requests.length, scene.waits], [1, []])
})

for (const kind of ['first_token_timeout', 'headers_timeout'] as const)
  for (const isLast of [true, false])
    test(`${kind} ${isLast ? 'of the last target' : 'with another target left'}, of two owners: ${isLast ? 'ill' : 'slow for them'}`, async () => {
      const circuits = new Circuits(() => 0)
      const targets = isLast ? [target('slow')] : [target('slow'), target('other')]
      const replies = (name: string) => (name === 'slow #0' ? failureOf(kind) : 'hello')
      for (const owner of ['anna', 'ben'])
        for (let time = 0; time < 5; time++) await play({ targets, replies, circuits, owner }).outcome.catch(() => {})
      assert.equal(circuits.allows('slow #0', requesterOf('carl')), !isLast)
      assert.equal(circuits.allows('slow #0', requesterOf('anna')), false)
    })

test('a failure that the caller’s own fields may have caused teaches the router nothing; one in connecting does', async () => {
  for (const [kind, samples] of [
    ['server_error', 0],
    ['refused', 1],
  ] as const) {
    const scene = play({
      targets: [target('only')],
      replies: () => failureOf(kind),
      retries: NO_RETRIES,
      isCustomized: true,
    })
    await assert.rejects(scene.outcome, Problem)
    assert.equal(scene.observations.of('only').samples, samples, kind)
  }
})

test('a model’s circuit does not apply to the sandbox, and the sandbox does not close it', async () => {
  const circuits = new Circuits(() => 0)
  for (let time = 0; time < 5; time++) circuits.failed('first #0', KEYLESS_CALLER, { because: 'reset' })
  const simulated = { ...target('first'), provider: { ...providerWith(1), id: 'sandbox', simulated: true } }
  assert.equal((await play({ targets: [simulated], replies: () => 'hello', circuits }).outcome).reply, 'hello')
  assert.equal(circuits.allows('first #0', KEYLESS_CALLER), false)
})

function requesterOf(owner: string) {
  return { caller: { owner }, isCustomized: () => false }
}
