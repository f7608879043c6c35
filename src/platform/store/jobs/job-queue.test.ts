import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLAIM, claimOne, newJob, OVER_AT_ONCE_MS, submitMany, success } from '../../../../test/fakes/new-job.ts'
import { onBothStores, passMillisecond } from '../../../../test/fakes/stores.ts'
import { sample } from '../../../../test/soak/sample.ts'
import type { Database } from '../database.ts'
import { type Claim, type ClaimedJob, claimJobs, finishJob, releaseJob, renewLease, saveTicket } from './job-runs.ts'
import { getJob, submitJob } from './jobs.ts'
import { HOUR_MS } from '../../../base/units/units.ts'

const FLOOD = sample(160, 2_000)

await onBothStores('jobs that wait', ({ one, other }) => {
  test('are claimed by one worker each, however many claim at once', async () => {
    await submitMany(one, 200, {})
    const claims = await Promise.all(
      Array.from({ length: 24 }, (_, index) => claimJobs(index % 2 ? one : other, CLAIM)),
    )
    const ids = claims.flat().map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    const rest = await drain(one)
    assert.equal(ids.length + rest.length, 200)
    assert.ok(claims.every((claimed) => claimed.length <= CLAIM.limit))
    assert.deepEqual(await claimJobs(one, CLAIM), [])
  })

  test('start with attempt, deadline and everything that the execution and the webhook need', async () => {
    const webhook = { url: 'https://receiver.example/hook' }
    const job = newJob({ webhook, userParameters: '{"deep":[1.10,{"2":null}]}', showOriginal: true })
    await submitJob(one, job)
    const { createdAt, claimedAt, deadlineAt, steadyAt, requestChars, ...claimed } = await claimOne(one, {
      deadlineMs: HOUR_MS,
    })
    const { idempotency, ...request } = job
    assert.equal(requestChars, JSON.stringify(job.request).length)
    assert.deepEqual(claimed, { ...request, attempt: 1, executions: 1, ticket: null, stop: null })
    assert.ok(createdAt <= claimedAt)
    assert.ok(Math.abs(deadlineAt - steadyAt - HOUR_MS) < HOUR_MS / 4)
    assert.equal((await getJob(one, job.owner, job.id))?.status, 'processing')
  })

  test('whose lease has expired go to the next worker, with a new number and the ticket', async () => {
    await submitJob(one, newJob())
    const first = await claimOne(one, { leaseMs: OVER_AT_ONCE_MS })
    assert.equal(await saveTicket(one, { ...first, ticket: { id: 7 } }), true)
    const second = await claimOne(other)
    assert.deepEqual([second.id, second.attempt, second.executions, second.ticket], [first.id, 2, 2, { id: 7 }])
    assert.equal(second.deadlineAt, first.deadlineAt)
    assert.deepEqual(await claimJobs(one, CLAIM), [])
  })

  test('stay with a worker that renews its lease', async () => {
    await submitJob(one, newJob())
    const claimed = await claimOne(one, { leaseMs: OVER_AT_ONCE_MS })
    assert.equal(await renewLease(one, { ...claimed, leaseMs: CLAIM.leaseMs }), 'renewed')
    assert.deepEqual(await claimJobs(other, CLAIM), [])
    assert.equal(await finishJob(one, success(claimed)), true)
    assert.equal(await renewLease(one, { ...claimed, leaseMs: CLAIM.leaseMs }), 'lost')
  })

  test('that are released come first, and the execution does not count', async () => {
    await submitJob(one, newJob())
    const [first] = await claimJobs(one, { ...CLAIM, limit: 1, deadlineMs: HOUR_MS })
    await passMillisecond(one, first!.createdAt)
    await submitMany(one, 3, {})
    assert.equal(await releaseJob(one, first!), true)
    assert.equal(await finishJob(one, success(first!)), false)
    assert.equal(await releaseJob(one, first!), false)
    const again = await claimOne(other, { limit: 1, deadlineMs: 2 * HOUR_MS })
    assert.deepEqual([again.id, again.attempt, again.executions], [first!.id, 2, 1])
    assert.ok(again.deadlineAt > first!.deadlineAt)
    assert.equal(await finishJob(one, success(first!)), false)
  })

  test('of an owner with few do not wait for those of one with hundreds', async () => {
    // One after the other: on PostgreSQL, jobs that an owner submits over several connections at once may share a turn.
    for (let count = 0; count < FLOOD; count++) await submitJob(one, newJob({ owner: 'flood' }))
    const early = await claimJobs(one, { ...CLAIM, limit: 100 })
    await submitMany(one, 10, { owner: 'small' })
    const started = [...early]
    while (started.filter(({ owner }) => owner === 'small').length < 10) started.push(...(await claimJobs(one, CLAIM)))
    assert.ok(started.length <= early.length + 40, `the small owner had to wait for ${started.length} starts`)
    await submitMany(one, 10, { owner: 'third' })
    const next = await claimJobs(one, { ...CLAIM, limit: 30 })
    assert.ok(next.filter(({ owner }) => owner === 'third').length >= 10)
    assert.ok(next.filter(({ owner }) => owner === 'flood').length >= 10)
  })
})

await onBothStores('jobs of an owner that has enough running', ({ one }) => {
  test('are skipped, and the first of each other owner is claimed', async () => {
    await submitMany(one, FLOOD, { owner: 'flood' })
    assert.equal((await claimJobs(one, { ...CLAIM, limit: 5 })).length, 5)
    for (const owner of ['a', 'b', 'b']) await submitJob(one, newJob({ owner }))
    const claimed = await claimJobs(one, { ...CLAIM, maxRunning: 4 })
    assert.deepEqual(claimed.map(({ owner }) => owner).toSorted(), ['a', 'b'])
    assert.deepEqual(await owners({ maxRunning: 0 }), [], 'all of them have something running')
    assert.deepEqual(await owners({ maxRunning: 1 }), ['b'])
    assert.deepEqual(await owners({ maxRunning: 5 }), ['flood'])
  })

  test('are not passed over by a worker that runs none of them', async () => {
    await submitMany(one, 3, {})
    await claimJobs(one, { ...CLAIM, limit: 2, worker: 'another' })
    assert.equal((await claimJobs(one, { ...CLAIM, maxRunning: 0 })).length, 1)
  })

  async function owners(parts: Partial<Claim>): Promise<string[]> {
    return (await claimJobs(one, { ...CLAIM, ...parts })).map(({ owner }) => owner)
  }
})

async function drain(db: Database): Promise<ClaimedJob[]> {
  const all: ClaimedJob[] = []
  for (let claimed = await claimJobs(db, CLAIM); claimed.length > 0; claimed = await claimJobs(db, CLAIM))
    all.push(...claimed)
  return all
}
