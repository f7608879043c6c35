import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { CLAIM, claimOne, newDelivery, newJob, submitMany, success } from '../../../../test/fakes/new-job.ts'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import type { Database } from '../database.ts'
import { claimDeliveries, recordAttempt } from '../deliveries/deliveries.ts'
import { listDeliveries } from '../deliveries/watched-deliveries.ts'
import { claimJobs, finishJob, readRequest } from './job-runs.ts'
import { expireJobs } from './job-sweep.ts'
import { deleteJob, getJob, listJobs, submitJob } from './jobs.ts'
import { listAllJobs } from './watched-jobs.ts'
import { HOUR_MS } from '../../../base/units/units.ts'

await onBothStores('jobs', ({ one, other }) => {
  test('are kept as they were submitted, for their owner only', async () => {
    const job = newJob({ model: 'm', request: { input: { text: '漢字 \0 🏛️' } }, showOriginal: true })
    const submission = await submitJob(one, job)
    assert.ok(submission.outcome === 'created')
    const { createdAt, ...rest } = submission.job
    assert.ok(Number.isInteger(createdAt))
    const { request, webhook, idempotency, ...kept } = job
    const fresh = { status: 'processing', cost: null, error: null, executions: 0, startedAt: null, finishedAt: null }
    assert.deepEqual(rest, { ...kept, ...fresh, output: null, original: null })
    assert.deepEqual(await getJob(other, job.owner, job.id), submission.job)
    assert.equal(await getJob(one, 'another owner', job.id), undefined)
    assert.equal(await getJob(one, job.owner, randomUUID()), undefined)
    await assert.rejects(submitJob(one, job), /already/)
    assert.deepEqual((await claimOne(one)).request, request)
  })

  test('a large request is not loaded by the claim: it is read when there is memory for it', async () => {
    const request = { input: { text: '漢'.repeat(70_000) } }
    const { id } = newJob({})
    await submitJob(one, newJob({ id, request }))
    const claimed = await claimOne(other)
    assert.deepEqual([claimed.request, claimed.requestChars], [undefined, JSON.stringify(request).length])
    assert.deepEqual(JSON.parse(await readRequest(other, id)), request)
    await assert.rejects(readRequest(one, randomUUID()), /no job/)
  })

  test('a hundred submissions at once with one idempotency key are one job', async () => {
    const idempotency = { key: 'once', bodyHash: 'hash' }
    const submissions = await Promise.all(
      Array.from({ length: 100 }, (_, index) => submitJob(index % 2 ? one : other, newJob({ idempotency }))),
    )
    const ids = submissions.map((made) => ('job' in made ? made.job.id : 'id' in made ? made.id : 'none'))
    assert.equal(new Set(ids).size, 1)
    assert.equal(submissions.filter(({ outcome }) => outcome === 'created').length, 1)
    assert.equal((await listAllJobs(one, { limit: 10 })).items.length, 1)
    const otherBody = await submitJob(one, newJob({ idempotency: { key: 'once', bodyHash: 'other' } }))
    assert.deepEqual(otherBody, { outcome: 'conflict' })
    assert.equal((await submitJob(one, newJob({ owner: 'other', idempotency }))).outcome, 'created')
  })

  test('a repetition finds the job, also when it has ended', async () => {
    const idempotency = { key: 'again', bodyHash: 'hash' }
    const first = newJob({ idempotency })
    await submitJob(one, first)
    await finishJob(one, success(await claimOne(one)))
    assert.deepEqual(await submitJob(other, newJob({ idempotency })), { outcome: 'repeated', id: first.id })
  })

  test('are listed newest first, by page, with filters and a total', async () => {
    await submitMany(one, 12, {})
    await submitMany(one, 5, { feature: 'ocr', subfeature: 'ocr' })
    const [claimed] = await claimJobs(one, { ...CLAIM, limit: 1 })
    await finishJob(one, success(claimed!))
    await submitJob(one, newJob({ owner: 'other' }))
    const pages = await Promise.all([1, 2, 3].map((page) => listJobs(one, 'owner', { page, limit: 8 })))
    assert.deepEqual(
      pages.map(({ jobs, total }) => [jobs.length, total]),
      [
        [8, 17],
        [8, 17],
        [1, 17],
      ],
    )
    const times = pages.flatMap(({ jobs }) => jobs.map(({ createdAt }) => createdAt))
    assert.deepEqual(
      times,
      times.toSorted((earlier, later) => later - earlier),
    )
    assert.equal(new Set(pages.flatMap(({ jobs }) => jobs.map(({ id }) => id))).size, 17)
    const total = async (filter: object) => (await listJobs(one, 'owner', { page: 1, limit: 1, ...filter })).total
    assert.equal(await total({ feature: 'ocr', subfeature: 'ocr' }), 5)
    assert.equal(await total({ status: 'processing' }), 16)
    assert.equal(await total({ status: 'success' }), 1)
    assert.equal(await total({ feature: "' OR 1=1 --" }), 0)
    assert.equal((await listJobs(one, 'another owner', { page: 9, limit: 10 })).total, 0)
  })

  test('are listed for the operator by cursor', async () => {
    await submitMany(one, 7, { owner: 'a' })
    await submitMany(one, 4, { owner: 'b' })
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { items, nextCursor } = await listAllJobs(one, { limit: 4, cursor })
      seen.push(...items.map(({ id }) => id))
      cursor = nextCursor
    }
    assert.deepEqual([seen.length, new Set(seen).size], [11, 11])
    assert.equal((await listAllJobs(one, { limit: 20, status: 'fail' })).items.length, 0)
    await assert.rejects(listAllJobs(one, { limit: 1, cursor: 'x' }), { status: 422 })
  })

  test('are deleted by their owner once they have ended; a webhook on its way goes on', async () => {
    await submitMany(one, 2, {})
    const jobs = await claimJobs(one, CLAIM)
    const [settled, pending] = jobs.map(({ id: jobId }) => newDelivery({ jobId }))
    assert.equal(await deleteJob(one, 'owner', jobs[0]!.id), 'running')
    await finishJob(one, success(jobs[0]!), settled)
    await recordNext(one, 'delivered')
    await finishJob(one, success(jobs[1]!), pending)
    assert.equal(await deleteJob(one, 'another owner', jobs[0]!.id), 'unknown')
    assert.equal(await deleteJob(one, 'owner', randomUUID()), 'unknown')
    for (const { id } of jobs) assert.equal(await deleteJob(one, 'owner', id), 'deleted')
    assert.equal(await deleteJob(one, 'owner', jobs[0]!.id), 'unknown')
    assert.equal(await getJob(one, 'owner', jobs[0]!.id), undefined)
    assert.deepEqual(
      (await listDeliveries(one, { limit: 10 })).items.map(({ id }) => id),
      [pending!.id],
    )
    const [left] = await one.query<{ rows: number }>(
      'SELECT (SELECT COUNT(*) FROM job_requests) + (SELECT COUNT(*) FROM job_results) AS "rows"',
    )
    assert.equal(left!.rows, 0)
  })

  test('are forgotten some time after their end, a batch at a time, and not before', async () => {
    await submitMany(one, 5, {})
    const claimed = await claimJobs(one, { ...CLAIM, limit: 4 })
    const finishedAt = claimed[0]!.claimedAt - 60_000
    for (const job of claimed.slice(0, 3)) await finishJob(one, success(job, { finishedAt }))
    assert.equal(await expireJobs(one, { keepMs: HOUR_MS, limit: 10 }), 0)
    assert.equal(await expireJobs(one, { keepMs: 30_000, limit: 2 }), 2)
    assert.equal(await expireJobs(one, { keepMs: 30_000, limit: 2 }), 1)
    assert.equal((await listJobs(one, 'owner', { page: 1, limit: 10 })).total, 2)
  })
})

async function recordNext(db: Database, state: 'delivered' | 'failed') {
  const [claimed] = await claimDeliveries(db, { limit: 1, leaseMs: CLAIM.leaseMs, perReceiver: 1 })
  assert.equal(
    await recordAttempt(db, {
      ...claimed!,
      state,
      status: 200,
      error: null,
      delayMs: 0,
      record: { durationMs: 1, answer: null, signed: null },
    }),
    true,
  )
}
