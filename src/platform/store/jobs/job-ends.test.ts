import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CLAIM,
  claimOne,
  newDelivery,
  newJob,
  OVER_AT_ONCE_MS,
  submitMany,
  success,
} from '../../../../test/fakes/new-job.ts'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import { rollUpAll } from '../ledger/roll-up-batches.ts'
import { ledgerLine } from '../../../../test/fakes/ledger-line.ts'
import type { Database } from '../database.ts'
import { listDeliveries } from '../deliveries/watched-deliveries.ts'
import { type ClaimedJob, claimJobs, finishJob, releaseJob, renewLease, saveTicket } from './job-runs.ts'
import { type ExhaustedJob, failExhausted } from './job-sweep.ts'
import { getJob, listJobs, submitJob } from './jobs.ts'

const ZOMBIES = 100

await onBothStores('jobs that end', ({ one, other }) => {
  test('nothing that a zombie writes is accepted', async () => {
    await submitMany(one, ZOMBIES, { webhook: { url: 'https://receiver.example/' } })
    const zombies = await claimJobs(one, { ...CLAIM, limit: ZOMBIES, leaseMs: OVER_AT_ONCE_MS })
    const living = await claimJobs(other, { ...CLAIM, limit: ZOMBIES })
    assert.deepEqual([zombies.length, living.length], [ZOMBIES, ZOMBIES])
    const renewed = async (job: ClaimedJob) => (await renewLease(one, { ...job, leaseMs: 1 })) !== 'lost'
    const late = (job: ClaimedJob) => finishJob(one, success(job, { output: 'late' }), newDelivery({ jobId: job.id }))
    // Half of them write while the other worker is running, half when it is done.
    const accepted = await Promise.all(zombies.slice(0, ZOMBIES / 2).map(late))
    const done = living.map((job) => finishJob(other, success(job), newDelivery({ id: job.id, jobId: job.id })))
    assert.ok((await Promise.all(done)).every(Boolean))
    accepted.push(...(await Promise.all(zombies.slice(ZOMBIES / 2).map(late))))
    accepted.push(...(await Promise.all(zombies.map(renewed))))
    accepted.push(...(await Promise.all(zombies.map((job) => saveTicket(one, { ...job, ticket: 'late' })))))
    accepted.push(...(await Promise.all(zombies.map((job) => releaseJob(one, job)))))
    assert.deepEqual(new Set(accepted), new Set([false]))
    assert.equal(accepted.length, 4 * ZOMBIES)
    const outputs = await Promise.all(living.map(({ owner, id }) => getJob(one, owner, id)))
    assert.ok(outputs.every((job) => job?.status === 'success' && JSON.stringify(job.output) === '{"ok":true}'))
    assert.deepEqual(await linesOf(one), living.map(({ id }) => id).sort())
    const { items } = await listDeliveries(one, { limit: 2 * ZOMBIES })
    assert.deepEqual(new Set(items.map(({ id }) => id)), new Set(living.map(({ id }) => id)))
  })

  test('end once: a second result changes nothing', async () => {
    await submitJob(one, newJob())
    const claimed = await claimOne(one)
    assert.equal(await finishJob(one, success(claimed)), true)
    const fail = success(claimed, { status: 'fail', output: null, error: 'no', finishedAt: 1 })
    assert.equal(await finishJob(one, fail, newDelivery({ jobId: claimed.id })), false)
    const job = await getJob(one, claimed.owner, claimed.id)
    assert.deepEqual([job?.status, job?.output, job?.error], ['success', { ok: true }, null])
    assert.deepEqual((await listDeliveries(one, { limit: 10 })).items, [])
  })

  test('have one line in the ledger, also if the answer of the store was lost and the same end is written again', async () => {
    await submitJob(one, newJob())
    const claimed = await claimOne(one)
    const end = success(claimed)
    const delivery = newDelivery({ jobId: claimed.id })
    for (let times = 0; times < 3; times++) assert.equal(await finishJob(one, end, delivery), true)
    const other = success(claimed, { finishedAt: end.finishedAt + 1, line: ledgerLine({ id: claimed.id, at: 7 }) })
    assert.equal(await finishJob(one, other), false)
    assert.deepEqual(await linesOf(one), [claimed.id])
    await rollUpAll(one)
    const rolledUp = "SELECT requests FROM usage_rollups WHERE step = 'hour' AND dimension = 'key'"
    assert.deepEqual(
      (await one.query<{ requests: number }>(rolledUp)).map(({ requests }) => requests),
      [1],
    )
    assert.equal((await listDeliveries(one, { limit: 10 })).items.length, 1)
  })

  test('keep what they ended with', async () => {
    await submitMany(one, 2, { showOriginal: true })
    const [good, bad] = await claimJobs(one, CLAIM)
    const done = { output: { text: 'é\u2028\ud800', '10': 1, '9': [] }, original: [1.5], cost: 1e-7, model: null }
    await finishJob(one, success(good!, { ...done, finishedAt: good!.createdAt + 5 }))
    await finishJob(
      one,
      success(bad!, { status: 'fail', output: null, error: 'It broke.', cost: null, original: 'raw' }),
    )
    const { output, original, cost, model, finishedAt } = (await getJob(one, 'owner', good!.id))!
    assert.deepEqual({ output, original, cost, model, finishedAt }, { ...done, finishedAt: good!.createdAt + 5 })
    const failed = (await getJob(one, 'owner', bad!.id))!
    assert.deepEqual([failed.status, failed.error, failed.output, failed.original], ['fail', 'It broke.', null, 'raw'])
  })

  test('end together with their webhook or not at all', async () => {
    await submitJob(one, newJob())
    const claimed = await claimOne(one)
    const broken = newDelivery({ jobId: claimed.id, body: null as unknown as Uint8Array })
    await assert.rejects(finishJob(one, success(claimed), broken))
    assert.equal((await getJob(one, claimed.owner, claimed.id))?.status, 'processing')
    const delivery = newDelivery({ jobId: claimed.id })
    assert.equal(await finishJob(one, success(claimed), delivery), true)
    assert.deepEqual(
      (await listDeliveries(one, { limit: 10 })).items.map(({ id }) => id),
      [delivery.id],
    )
  })

  test('that were started three times are not started again but fail, with their webhook', async () => {
    await submitJob(one, newJob({ webhook: { url: 'https://receiver.example/' }, userParameters: '{"a":1}' }))
    for (let attempt = 1; attempt <= 3; attempt++)
      assert.equal((await claimOne(one, { leaseMs: OVER_AT_ONCE_MS })).attempt, attempt)
    assert.deepEqual(await claimJobs(one, CLAIM), [])
    const seen = await sweep(one)
    assert.deepEqual(
      seen.map(({ reason, userParameters }) => [reason, userParameters]),
      [['executions', '{"a":1}']],
    )
    const job = (await getJob(one, 'owner', seen[0]!.id))!
    assert.deepEqual([job.status, job.error, job.finishedAt], ['fail', 'executions', seen[0]!.finishedAt])
    assert.deepEqual(
      (await listDeliveries(one, { limit: 10 })).items.map(({ jobId }) => jobId),
      [job.id],
    )
    assert.deepEqual(await sweep(one), [])
  })

  test('that take too long fail even under a living lease, and their worker comes too late', async () => {
    await submitJob(one, newJob())
    const claimed = await claimOne(one, { deadlineMs: -10 })
    assert.deepEqual(await sweep(one, { graceMs: 60_000 }), [])
    assert.deepEqual(
      (await sweep(one)).map(({ reason }) => reason),
      ['deadline'],
    )
    assert.equal(await finishJob(one, success(claimed), newDelivery({ jobId: claimed.id })), false)
    const job = (await getJob(one, 'owner', claimed.id))!
    assert.deepEqual([job.status, job.error, job.output], ['fail', 'deadline', null])
    assert.deepEqual(await linesOf(one), [claimed.id])
    assert.deepEqual((await listDeliveries(one, { limit: 10 })).items, [])
  })

  test('are not failed when their worker came back while the sweep wrote its webhook', async () => {
    await submitJob(one, newJob())
    const claimed = await claimOne(one, { leaseMs: OVER_AT_ONCE_MS, maxExecutions: 1 })
    const end = async ({ id }: ExhaustedJob) => {
      await renewLease(other, { ...claimed, leaseMs: CLAIM.leaseMs })
      return { error: 'too often', line: ledgerLine({ id }), delivery: newDelivery({ jobId: id }) }
    }
    assert.equal(await failExhausted(one, { maxExecutions: 1, graceMs: 0, limit: 10, end }), 1)
    assert.deepEqual(await linesOf(one), [])
    assert.deepEqual((await listDeliveries(one, { limit: 10 })).items, [])
    assert.equal(await finishJob(one, success(claimed)), true)
  })

  test('two sweeps at once fail a job once', async () => {
    await submitMany(one, 20, { webhook: { url: 'https://receiver.example/' } })
    await claimJobs(one, { ...CLAIM, limit: 20, leaseMs: OVER_AT_ONCE_MS })
    await Promise.all([sweep(one, { maxExecutions: 1 }), sweep(other, { maxExecutions: 1 })])
    assert.equal((await listJobs(one, 'owner', { page: 1, limit: 1, status: 'fail' })).total, 20)
    assert.equal((await listDeliveries(one, { limit: 100 })).items.length, 20)
    assert.equal((await linesOf(one)).length, 20)
  })
})

async function linesOf(db: Database): Promise<string[]> {
  return (await db.query<{ id: string }>('SELECT id FROM usage ORDER BY id')).map(({ id }) => id)
}

/** Returns the jobs that were failed. Their error is the reason. */
async function sweep(db: Database, parts: { maxExecutions?: number; graceMs?: number } = {}): Promise<ExhaustedJob[]> {
  const seen: ExhaustedJob[] = []
  const end = async (job: ExhaustedJob) => {
    seen.push(job)
    const delivery = job.webhook ? newDelivery({ jobId: job.id }) : undefined
    return { error: job.reason, line: ledgerLine({ id: job.id, at: job.finishedAt, status: 504 }), delivery }
  }
  await failExhausted(db, { maxExecutions: 3, graceMs: 0, limit: 100, end, ...parts })
  return seen
}
