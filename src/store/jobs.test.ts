import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { CLAIM, newDelivery, newJob, OVER_AT_ONCE_MS, success } from '../../test/fakes/new-job.ts'
import { onBothStores } from '../../test/fakes/stores.ts'
import type { Database } from './database.ts'
import { claimDeliveries, listDeliveries, recordAttempt } from './deliveries.ts'
import { type Claim, type ClaimedJob, claimJobs, finishJob, releaseJob, renewLease, saveTicket } from './job-runs.ts'
import { type ExhaustedJob, expireJobs, failExhausted } from './job-sweep.ts'
import { deleteJob, getJob, listAllJobs, listJobs, type NewJob, submitJob } from './jobs.ts'

// Fewer on PostgreSQL, where it takes longer to submit them.
const FLOOD = { sqlite: 2_000, postgres: 500 }
const ZOMBIES = 100

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
    assert.equal(await getJob(one, 'somebody else', job.id), undefined)
    assert.equal(await getJob(one, job.owner, randomUUID()), undefined)
    await assert.rejects(submitJob(one, job), /already/)
    assert.deepEqual((await claimOne(one)).request, request)
  })

  test('a hundred submissions at once with one idempotency key are one job', async () => {
    const idempotency = { key: 'once', bodyHash: 'hash' }
    const submissions = await Promise.all(
      Array.from({ length: 100 }, (_, index) => submitJob(index % 2 ? one : other, newJob({ idempotency }))),
    )
    const ids = submissions.map((submission) => (submission.outcome === 'conflict' ? 'none' : submission.job.id))
    assert.equal(new Set(ids).size, 1)
    assert.equal(submissions.filter(({ outcome }) => outcome === 'created').length, 1)
    assert.equal((await listAllJobs(one, { limit: 10 })).items.length, 1)
    const otherBody = await submitJob(one, newJob({ idempotency: { key: 'once', bodyHash: 'other' } }))
    assert.deepEqual(otherBody, { outcome: 'conflict' })
    assert.equal((await submitJob(one, newJob({ owner: 'other', idempotency }))).outcome, 'created')
  })

  test('a repetition is answered with the job as it is by then', async () => {
    const idempotency = { key: 'again', bodyHash: 'hash' }
    await submitJob(one, newJob({ idempotency }))
    await finishJob(one, success(await claimOne(one)))
    const repeated = await submitJob(other, newJob({ idempotency }))
    assert.ok(repeated.outcome === 'repeated')
    assert.deepEqual([repeated.job.status, repeated.job.output], ['success', { ok: true }])
  })

  test('are given to one worker each, however many ask at once', async () => {
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
    const webhook = { url: 'https://receiver.example/hook', userParameters: { deep: [1, { '2': null }] } }
    const job = newJob({ webhook, showOriginal: true })
    await submitJob(one, job)
    const { createdAt, claimedAt, deadlineAt, ...claimed } = await claimOne(one, { deadlineMs: 5_000 })
    const { idempotency, ...asked } = job
    assert.deepEqual(claimed, { ...asked, attempt: 1, executions: 1, ticket: null })
    assert.ok(createdAt <= claimedAt)
    assert.ok(Math.abs(deadlineAt - claimedAt - 5_000) < 1_000)
    assert.equal((await getJob(one, job.owner, job.id))?.status, 'processing')
  })

  test('whose lease is over go to the next who asks, with a new number and the ticket', async () => {
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
    assert.equal(await renewLease(one, { ...claimed, leaseMs: CLAIM.leaseMs }), true)
    assert.deepEqual(await claimJobs(other, CLAIM), [])
    assert.equal(await finishJob(one, success(claimed)), true)
    assert.equal(await renewLease(one, { ...claimed, leaseMs: CLAIM.leaseMs }), false)
  })

  test('nothing that a zombie writes is accepted', async () => {
    await submitMany(one, ZOMBIES, { webhook: { url: 'https://receiver.example/', userParameters: null } })
    const zombies = await claimJobs(one, { ...CLAIM, limit: ZOMBIES, leaseMs: OVER_AT_ONCE_MS })
    const living = await claimJobs(other, { ...CLAIM, limit: ZOMBIES })
    assert.deepEqual([zombies.length, living.length], [ZOMBIES, ZOMBIES])
    const late = (job: ClaimedJob) => finishJob(one, success(job, { output: 'late' }), newDelivery({ jobId: job.id }))
    // Half of them come while the other works, half when it is done.
    const accepted = await Promise.all(zombies.slice(0, ZOMBIES / 2).map(late))
    const done = living.map((job) => finishJob(other, success(job), newDelivery({ id: job.id, jobId: job.id })))
    assert.ok((await Promise.all(done)).every(Boolean))
    accepted.push(...(await Promise.all(zombies.slice(ZOMBIES / 2).map(late))))
    accepted.push(...(await Promise.all(zombies.map((job) => renewLease(one, { ...job, leaseMs: 1 })))))
    accepted.push(...(await Promise.all(zombies.map((job) => saveTicket(one, { ...job, ticket: 'late' })))))
    accepted.push(...(await Promise.all(zombies.map((job) => releaseJob(one, job)))))
    assert.deepEqual(new Set(accepted), new Set([false]))
    assert.equal(accepted.length, 4 * ZOMBIES)
    const outputs = await Promise.all(living.map(({ owner, id }) => getJob(one, owner, id)))
    assert.ok(outputs.every((job) => job?.status === 'success' && JSON.stringify(job.output) === '{"ok":true}'))
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

  test('that are released come first, and the execution does not count', async () => {
    await submitJob(one, newJob())
    const [first] = await claimJobs(one, { ...CLAIM, limit: 1, deadlineMs: 5_000 })
    await passMillisecond(one, first!.createdAt)
    await submitMany(one, 3, {})
    assert.equal(await releaseJob(one, first!), true)
    assert.equal(await finishJob(one, success(first!)), false)
    assert.equal(await releaseJob(one, first!), false)
    const again = await claimOne(other, { limit: 1, deadlineMs: 10_000 })
    assert.deepEqual([again.id, again.attempt, again.executions], [first!.id, 2, 1])
    assert.ok(again.deadlineAt > first!.deadlineAt)
    assert.equal(await finishJob(one, success(first!)), false)
  })

  test('that were started three times are not started again but fail, with their webhook', async () => {
    await submitJob(one, newJob({ webhook: { url: 'https://receiver.example/', userParameters: { a: 1 } } }))
    for (let attempt = 1; attempt <= 3; attempt++)
      assert.equal((await claimOne(one, { leaseMs: OVER_AT_ONCE_MS })).attempt, attempt)
    assert.deepEqual(await claimJobs(one, CLAIM), [])
    const seen = await sweep(one)
    assert.deepEqual(
      seen.map(({ reason, webhook }) => [reason, webhook?.userParameters]),
      [['executions', { a: 1 }]],
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
    assert.deepEqual((await listDeliveries(one, { limit: 10 })).items, [])
  })

  test('are not failed when their worker came back while the sweep wrote its webhook', async () => {
    await submitJob(one, newJob())
    const claimed = await claimOne(one, { leaseMs: OVER_AT_ONCE_MS, maxExecutions: 1 })
    const end = async ({ id }: ExhaustedJob) => {
      await renewLease(other, { ...claimed, leaseMs: CLAIM.leaseMs })
      return { error: 'too often', delivery: newDelivery({ jobId: id }) }
    }
    assert.equal(await failExhausted(one, { maxExecutions: 1, graceMs: 0, limit: 10, end }), 1)
    assert.deepEqual((await listDeliveries(one, { limit: 10 })).items, [])
    assert.equal(await finishJob(one, success(claimed)), true)
  })

  test('two sweeps at once fail a job once', async () => {
    await submitMany(one, 20, { webhook: { url: 'https://receiver.example/', userParameters: null } })
    await claimJobs(one, { ...CLAIM, limit: 20, leaseMs: OVER_AT_ONCE_MS })
    await Promise.all([sweep(one, { maxExecutions: 1 }), sweep(other, { maxExecutions: 1 })])
    assert.equal((await listJobs(one, 'owner', { page: 1, limit: 1, status: 'fail' })).total, 20)
    assert.equal((await listDeliveries(one, { limit: 100 })).items.length, 20)
  })

  test('of an owner with few do not wait for those of one with thousands', async () => {
    await submitMany(one, FLOOD[one.kind], { owner: 'flood' })
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

  test('are listed newest first, by page, with filters and a total', async () => {
    await submitMany(one, 12, {})
    await submitMany(one, 5, { feature: 'ocr', subfeature: 'ocr' })
    await submitJob(one, newJob({ owner: 'other' }))
    const [claimed] = await claimJobs(one, { ...CLAIM, limit: 1 })
    await finishJob(one, success(claimed!))
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
    assert.equal((await listJobs(one, 'nobody', { page: 9, limit: 10 })).total, 0)
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
    assert.equal(await deleteJob(one, 'somebody else', jobs[0]!.id), 'unknown')
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
    assert.equal(await expireJobs(one, { keepMs: 3_600_000, limit: 10 }), 0)
    assert.equal(await expireJobs(one, { keepMs: 30_000, limit: 2 }), 2)
    assert.equal(await expireJobs(one, { keepMs: 30_000, limit: 2 }), 1)
    assert.equal((await listJobs(one, 'owner', { page: 1, limit: 10 })).total, 2)
  })
})

async function submitMany(db: Database, count: number, parts: Partial<NewJob>) {
  const batch = 50
  for (let done = 0; done < count; done += batch)
    await Promise.all(Array.from({ length: Math.min(batch, count - done) }, () => submitJob(db, newJob(parts))))
}

async function claimOne(db: Database, parts: Partial<Claim> = {}): Promise<ClaimedJob> {
  const [job, ...more] = await claimJobs(db, { ...CLAIM, ...parts })
  assert.ok(job && more.length === 0)
  return job
}

/** Asks until the store's clock has left that millisecond. */
async function passMillisecond(db: Database, ms: number) {
  while ((await db.query<{ now: number }>('SELECT now_ms() AS now'))[0]!.now <= ms);
}

async function drain(db: Database): Promise<ClaimedJob[]> {
  const all: ClaimedJob[] = []
  for (let claimed = await claimJobs(db, CLAIM); claimed.length > 0; claimed = await claimJobs(db, CLAIM))
    all.push(...claimed)
  return all
}

/** Gives the jobs that were failed; their error is the reason. */
async function sweep(db: Database, parts: { maxExecutions?: number; graceMs?: number } = {}): Promise<ExhaustedJob[]> {
  const seen: ExhaustedJob[] = []
  const end = async (job: ExhaustedJob) => {
    seen.push(job)
    return { error: job.reason, delivery: job.webhook ? newDelivery({ jobId: job.id }) : undefined }
  }
  await failExhausted(db, { maxExecutions: 3, graceMs: 0, limit: 100, end, ...parts })
  return seen
}

async function recordNext(db: Database, state: 'delivered' | 'failed') {
  const [claimed] = await claimDeliveries(db, { limit: 1, leaseMs: CLAIM.leaseMs, perReceiver: 1 })
  assert.equal(await recordAttempt(db, { ...claimed!, state, status: 200, error: null, delayMs: 0 }), true)
}
