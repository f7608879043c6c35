import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeForAll } from '../../test/fakes/stores.ts'
import { ledgerLine } from '../../test/fakes/ledger-line.ts'
import { DONE, echo, NEVER_MS, startWorker, WEBHOOK } from '../../test/fakes/worker-harness.ts'
import { problem } from '../contract/problems.ts'
import { listDeliveries } from '../platform/store/deliveries/watched-deliveries.ts'
import { listJobs } from '../platform/store/jobs/jobs.ts'
import type { Execute } from './run-job.ts'

const db = await storeForAll()

test('a job is run, and its end is stored together with its webhook', async (t) => {
  const harness = startWorker(t, db, {
    execute: async ({ id, request }, { keepLine }) => {
      keepLine(() => ledgerLine({ id, cost: 0.5 }))
      return { ...DONE, output: { request }, original: 'raw' }
    },
  })
  const body = await harness.submit({ webhook: WEBHOOK, userParameters: '{"mine":[1]}', showOriginal: true })
  await harness.log.until('job finished')
  const job = await harness.find(body.id)
  assert.deepEqual([job.status, job.output, job.original], ['success', { request: body.request }, 'raw'])
  assert.deepEqual([job.cost, job.provider, job.model, job.executions], [0.5, 'sandbox', 'echo', 1])
  assert.equal(harness.wokenDeliverer(), 1)
  const payload = await harness.webhook()
  assert.deepEqual([payload.job_id, payload.status, payload.original_response], [body.id, 'success', 'raw'])
  assert.deepEqual([payload.output, payload.user_parameters], [job.output, { mine: [1] }])
  assert.equal(payload.created_at, new Date(job.createdAt).toISOString())
  assert.equal(payload.finished_at, new Date(job.finishedAt!).toISOString())
  assert.ok(job.createdAt <= job.finishedAt!)
})

test("a provider's own answer is kept only for who asked for it", async (t) => {
  const harness = startWorker(t, db, { execute: async () => ({ ...DONE, original: 'raw' }) })
  const request = await harness.submit({ webhook: WEBHOOK })
  await harness.log.until('job finished')
  assert.equal((await harness.find(request.id)).original, null)
  assert.equal('original_response' in (await harness.webhook()), false)
})

test('a failure tells the owner what a caller may know, and the log the rest', async (t) => {
  const failures: Record<string, () => Promise<never>> = {
    reported: () => Promise.reject(problem('upstream_timeout')),
    broken: () => Promise.reject(new Error('secret detail')),
  }
  const harness = startWorker(t, db, { execute: ({ request }) => failures[request as string]!() })
  const reported = await harness.submit({ request: 'reported', webhook: WEBHOOK })
  const broken = await harness.submit({ request: 'broken' })
  await harness.log.until('job finished', 2)
  const job = await harness.find(reported.id)
  assert.deepEqual([job.status, job.error, job.output], ['fail', 'The provider did not answer in time.', null])
  assert.deepEqual((await harness.webhook()).error, { message: job.error })
  assert.doesNotMatch((await harness.find(broken.id)).error!, /secret/)
  assert.match(String(harness.log.seen('job failed inside')[0]!.fields.error), /secret detail/)
})

test('a provider that fails with an answer keeps its cost and name', async (t) => {
  const outcome = { status: 'fail', error: 'No text found.', provider: 'other', model: 'm2' } as const
  const execute: Execute = async ({ id }, { keepLine }) => {
    keepLine(() => ledgerLine({ id, cost: 0.1 }))
    return outcome
  }
  const harness = startWorker(t, db, { execute })
  const request = await harness.submit({})
  await harness.log.until('job finished')
  const { status, error, cost, provider, model } = await harness.find(request.id)
  assert.deepEqual({ status, error, cost, provider, model }, { ...outcome, cost: 0.1 })
})

test('what cannot be written as JSON fails its job and nothing else', async (t) => {
  const poison: Record<string, unknown> = {
    deep: Array.from({ length: 10_000 }).reduce((inner: unknown) => [inner], []),
    infinite: { a: Number.POSITIVE_INFINITY },
    dated: { at: new Date(0) },
  }
  const execute: Execute = async ({ request }) => ({
    ...DONE,
    output: poison[request as string] ?? { fine: true },
    original: null,
  })
  const harness = startWorker(t, db, { execute })
  for (const request of Object.keys(poison)) await harness.submit({ request, webhook: WEBHOOK })
  const good = await harness.submit({ request: 'good', webhook: WEBHOOK })
  await harness.log.until('job finished', 4)
  const { jobs } = await listJobs(db, 'owner', { page: 1, limit: 10, status: 'fail' })
  assert.equal(jobs.length, 3)
  assert.ok(jobs.every(({ error }) => error?.includes('cannot be written as JSON')))
  assert.equal((await harness.find(good.id)).status, 'success')
  assert.equal((await listDeliveries(db, { limit: 10 })).items.length, 4)
})

test('a webhook that cannot be made does not keep its job from ending', async (t) => {
  const harness = startWorker(t, db, { execute: echo, prepareDelivery: () => Promise.reject(new Error('no key')) })
  const request = await harness.submit({ webhook: WEBHOOK })
  await harness.log.until('job finished')
  assert.equal((await harness.find(request.id)).status, 'success')
  assert.equal(harness.log.seen('the webhook of a job cannot be created').length, 1)
})

test('a job that hangs fails at its deadline, is aborted, and frees its place', async (t) => {
  const stopped = Promise.withResolvers<unknown>()
  const execute: Execute = (job, { signal }) => {
    if (job.request === 'quick') return Promise.resolve(DONE)
    signal.addEventListener('abort', () => stopped.resolve(signal.reason))
    return new Promise(() => {})
  }
  const harness = startWorker(t, db, { execute, deadlineMs: 30, concurrency: 1 })
  const hanging = await harness.submit({ request: 'hang', webhook: WEBHOOK })
  await harness.submit({ request: 'quick' })
  await harness.log.until('job finished', 2)
  const job = await harness.find(hanging.id)
  assert.deepEqual([job.status, job.error], ['fail', 'The job did not finish in time.'])
  assert.match(String(await stopped.promise), /in time/)
  assert.equal((await harness.webhook()).status, 'fail')
})

test('a submission in the same process is started at once, without waiting for the poll', async (t) => {
  const harness = startWorker(t, db, { execute: echo, timing: { pollMs: NEVER_MS } })
  for (let number = 1; number <= 3; number++) {
    await harness.submit({})
    await harness.log.until('job finished', number)
  }
  assert.equal(harness.log.seen('job finished').length, 3)
})

test('two workers run each of 300 jobs once, never more at a time than they may', async (t) => {
  const runs = new Map<string, number>()
  let [running, max] = [0, 0]
  const execute: Execute = async ({ id }) => {
    runs.set(id, (runs.get(id) ?? 0) + 1)
    max = Math.max(max, ++running)
    await new Promise(setImmediate)
    running--
    return DONE
  }
  const harness = startWorker(t, db, { execute, concurrency: 5, closed: true })
  await Promise.all(Array.from({ length: 300 }, () => harness.submit({})))
  harness.open({})
  harness.open({})
  await harness.log.until('job finished', 300)
  assert.deepEqual([runs.size, new Set(runs.values())], [300, new Set([1])])
  assert.ok(max <= 10)
})

test('jobs of one owner that do not end leave a place for those of another', async (t) => {
  const started = new Set<string>()
  const slow = Promise.withResolvers<typeof DONE>()
  const execute: Execute = async ({ owner, id }) => {
    started.add(id)
    return owner === 'flood' ? await slow.promise : DONE
  }
  const harness = startWorker(t, db, { execute, concurrency: 3 })
  const flood = await Promise.all([...Array(10)].map(() => harness.submit({ owner: 'flood' })))
  for (let others = 1; others <= 3; others++) {
    await harness.submit({ owner: 'other' })
    await harness.log.until('job finished', others)
  }
  assert.equal(flood.filter(({ id }) => started.has(id)).length, 3)
  slow.resolve(DONE)
  await harness.log.until('job finished', 13)
})
