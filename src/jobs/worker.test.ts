import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeForAll } from '../../test/fakes/stores.ts'
import { DONE, echo, NEVER_MS, startWorker, WEBHOOK } from '../../test/fakes/worker-house.ts'
import { problem } from '../contract/problems.ts'
import { listDeliveries } from '../store/deliveries.ts'
import { listJobs } from '../store/jobs.ts'
import type { Execute } from './run-job.ts'

const db = await storeForAll()

test('a job is run, and its end is stored together with its webhook', async (t) => {
  const house = startWorker(t, db, {
    execute: async ({ request }) => ({ ...DONE, output: { request }, original: 'raw' }),
  })
  const asked = await house.submit({ webhook: WEBHOOK, showOriginal: true })
  await house.log.until('job finished')
  const job = await house.find(asked.id)
  assert.deepEqual([job.status, job.output, job.original], ['success', { request: asked.request }, 'raw'])
  assert.deepEqual([job.cost, job.provider, job.model, job.executions], [0.5, 'sandbox', 'echo', 1])
  assert.equal(house.wokenDeliverer(), 1)
  const payload = await house.webhook()
  assert.deepEqual([payload.job_id, payload.status, payload.original_response], [asked.id, 'success', 'raw'])
  assert.deepEqual([payload.output, payload.user_parameters], [job.output, WEBHOOK.userParameters])
  assert.equal(payload.created_at, new Date(job.createdAt).toISOString())
  assert.equal(payload.finished_at, new Date(job.finishedAt!).toISOString())
  assert.ok(job.createdAt <= job.finishedAt!)
})

test("a provider's own answer is kept only for who asked for it", async (t) => {
  const house = startWorker(t, db, { execute: async () => ({ ...DONE, original: 'raw' }) })
  const asked = await house.submit({ webhook: WEBHOOK })
  await house.log.until('job finished')
  assert.equal((await house.find(asked.id)).original, null)
  assert.equal('original_response' in (await house.webhook()), false)
})

test('a failure tells the owner what a caller may know, and the log the rest', async (t) => {
  const failures: Record<string, () => Promise<never>> = {
    told: () => Promise.reject(problem('upstream_timeout')),
    broken: () => Promise.reject(new Error('secret detail')),
  }
  const house = startWorker(t, db, { execute: ({ request }) => failures[request as string]!() })
  const told = await house.submit({ request: 'told', webhook: WEBHOOK })
  const broken = await house.submit({ request: 'broken' })
  await house.log.until('job finished', 2)
  const job = await house.find(told.id)
  assert.deepEqual([job.status, job.error, job.output], ['fail', 'The provider did not answer in time.', null])
  assert.deepEqual((await house.webhook()).error, { message: job.error })
  assert.doesNotMatch((await house.find(broken.id)).error!, /secret/)
  assert.match(String(house.log.seen('job failed inside')[0]!.fields.error), /secret detail/)
})

test('a provider that fails with an answer keeps its cost and name', async (t) => {
  const outcome = { status: 'fail', error: 'No text found.', cost: 0.1, provider: 'other', model: 'm2' } as const
  const house = startWorker(t, db, { execute: async () => outcome })
  const asked = await house.submit({})
  await house.log.until('job finished')
  const { status, error, cost, provider, model } = await house.find(asked.id)
  assert.deepEqual({ status, error, cost, provider, model }, outcome)
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
  const house = startWorker(t, db, { execute })
  for (const request of Object.keys(poison)) await house.submit({ request, webhook: WEBHOOK })
  const good = await house.submit({ request: 'good', webhook: WEBHOOK })
  await house.log.until('job finished', 4)
  const { jobs } = await listJobs(db, 'owner', { page: 1, limit: 10, status: 'fail' })
  assert.equal(jobs.length, 3)
  assert.ok(jobs.every(({ error }) => error?.includes('cannot be written as JSON')))
  assert.equal((await house.find(good.id)).status, 'success')
  assert.equal((await listDeliveries(db, { limit: 10 })).items.length, 4)
})

test('a webhook that cannot be made does not keep its job from ending', async (t) => {
  const house = startWorker(t, db, { execute: echo, prepareDelivery: () => Promise.reject(new Error('no key')) })
  const asked = await house.submit({ webhook: WEBHOOK })
  await house.log.until('job finished')
  assert.equal((await house.find(asked.id)).status, 'success')
  assert.equal(house.log.seen('the webhook of a job cannot be made').length, 1)
})

test('a job that hangs fails at its deadline, is told to stop, and frees its place', async (t) => {
  const stopped = Promise.withResolvers<unknown>()
  const execute: Execute = (job, { signal }) => {
    if (job.request === 'quick') return Promise.resolve(DONE)
    signal.addEventListener('abort', () => stopped.resolve(signal.reason))
    return new Promise(() => {})
  }
  const house = startWorker(t, db, { execute, deadlineMs: 30, concurrency: 1 })
  const hanging = await house.submit({ request: 'hang', webhook: WEBHOOK })
  await house.submit({ request: 'quick' })
  await house.log.until('job finished', 2)
  const job = await house.find(hanging.id)
  assert.deepEqual([job.status, job.error], ['fail', 'The job did not finish in time.'])
  assert.match(String(await stopped.promise), /in time/)
  assert.equal((await house.webhook()).status, 'fail')
})

test('a submission in the same process is started at once, without waiting for the poll', async (t) => {
  const house = startWorker(t, db, { execute: echo, timing: { pollMs: NEVER_MS } })
  for (let number = 1; number <= 3; number++) {
    await house.submit({})
    await house.log.until('job finished', number)
  }
  assert.equal(house.log.seen('job finished').length, 3)
})

test('two workers run each of 300 jobs once, never more at a time than they may', async (t) => {
  const runs = new Map<string, number>()
  let [running, most] = [0, 0]
  const execute: Execute = async ({ id }) => {
    runs.set(id, (runs.get(id) ?? 0) + 1)
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
    return DONE
  }
  const house = startWorker(t, db, { execute, concurrency: 5, closed: true })
  await Promise.all(Array.from({ length: 300 }, () => house.submit({})))
  house.open({})
  house.open({})
  await house.log.until('job finished', 300)
  assert.deepEqual([runs.size, new Set(runs.values())], [300, new Set([1])])
  assert.ok(most <= 10)
})

test('jobs of one owner that do not end leave a place for those of another', async (t) => {
  const started = new Set<string>()
  const slow = Promise.withResolvers<typeof DONE>()
  const execute: Execute = async ({ owner, id }) => {
    started.add(id)
    return owner === 'flood' ? await slow.promise : DONE
  }
  const house = startWorker(t, db, { execute, concurrency: 3 })
  const flood = await Promise.all([...Array(10)].map(() => house.submit({ owner: 'flood' })))
  for (let others = 1; others <= 3; others++) {
    await house.submit({ owner: 'other' })
    await house.log.until('job finished', others)
  }
  assert.equal(flood.filter(({ id }) => started.has(id)).length, 3)
  slow.resolve(DONE)
  await house.log.until('job finished', 13)
})
