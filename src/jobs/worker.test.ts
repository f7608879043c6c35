import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { eventLog } from '../../test/fakes/event-log.ts'
import { CLAIM, newJob, OVER_AT_ONCE_MS } from '../../test/fakes/new-job.ts'
import { closer, storeForAll } from '../../test/fakes/stores.ts'
import { problem } from '../contract/problems.ts'
import { type Database, StoreUnavailable } from '../store/database.ts'
import { claimDeliveries, listDeliveries } from '../store/deliveries.ts'
import { claimJobs } from '../store/job-runs.ts'
import { getJob, listJobs, type NewJob, submitJob } from '../store/jobs.ts'
import { prepareDelivery } from '../webhooks/prepare-delivery.ts'
import { openSigner } from '../webhooks/signature.ts'
import type { Execute } from './run-job.ts'
import { openWorker, type WorkerOptions } from './worker.ts'

const NEVER_MS = 3_600_000
// A short key is a quick one; the lengths that are really used are in the tests of the published verifiers.
const signer = openSigner(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)

const db = await storeForAll()

const WEBHOOK = { url: 'https://receiver.example/hook', userParameters: { mine: [1] } }
const DONE = { status: 'success', output: { ok: true }, cost: 0.5, provider: 'sandbox', model: 'echo' } as const
const echo: Execute = async () => DONE
const hang: Execute = () => new Promise(() => {})

test('a job is run, and its end is stored together with its webhook', async (t) => {
  const house = await setUp(t, { execute: async ({ request }) => ({ ...DONE, output: { request }, original: 'raw' }) })
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
  const house = await setUp(t, { execute: async () => ({ ...DONE, original: 'raw' }) })
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
  const house = await setUp(t, { execute: ({ request }) => failures[request as string]!() })
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
  const house = await setUp(t, { execute: async () => outcome })
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
  const house = await setUp(t, { execute })
  for (const request of Object.keys(poison)) await house.submit({ request, webhook: WEBHOOK })
  const good = await house.submit({ request: 'good', webhook: WEBHOOK })
  await house.log.until('job finished', 4)
  const { jobs } = await listJobs(house.db, 'owner', { page: 1, limit: 10, status: 'fail' })
  assert.equal(jobs.length, 3)
  assert.ok(jobs.every(({ error }) => error?.includes('cannot be written as JSON')))
  assert.equal((await house.find(good.id)).status, 'success')
  assert.equal((await listDeliveries(house.db, { limit: 10 })).items.length, 4)
})

test('a webhook that cannot be made does not keep its job from ending', async (t) => {
  const house = await setUp(t, { execute: echo, prepareDelivery: () => Promise.reject(new Error('no key')) })
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
  const house = await setUp(t, { execute, deadlineMs: 30, concurrency: 1 })
  const hanging = await house.submit({ request: 'hang', webhook: WEBHOOK })
  await house.submit({ request: 'quick' })
  await house.log.until('job finished', 2)
  const job = await house.find(hanging.id)
  assert.deepEqual([job.status, job.error], ['fail', 'The job did not finish in time.'])
  assert.match(String(await stopped.promise), /deadline/)
  assert.equal((await house.webhook()).status, 'fail')
})

test('a job whose lease another worker got is dropped and told to stop', async (t) => {
  const [started, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()]
  const execute: Execute = (_, { signal }) => {
    signal.addEventListener('abort', () => stopped.resolve(signal.reason))
    started.resolve()
    return new Promise(() => {})
  }
  // With one place only, it does not get its own job again.
  const timing = { leaseMs: OVER_AT_ONCE_MS, heartbeatMs: 10, pollMs: NEVER_MS }
  const house = await setUp(t, { execute, timing, concurrency: 1 })
  await house.submit({})
  await started.promise
  const thief = await stealFrom(house.db)
  assert.match(String(await stopped.promise), /lost/)
  await house.log.until('job dropped')
  assert.equal((await house.find(thief.id)).status, 'processing')
})

test('a result that comes after another worker got the job is refused and logged', async (t) => {
  const [started, finishing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const execute: Execute = async () => {
    started.resolve()
    await finishing.promise
    return DONE
  }
  const timing = { leaseMs: OVER_AT_ONCE_MS, heartbeatMs: NEVER_MS, pollMs: NEVER_MS }
  const house = await setUp(t, { execute, timing, concurrency: 1 })
  await house.submit({ webhook: WEBHOOK })
  await started.promise
  const thief = await stealFrom(house.db)
  finishing.resolve()
  await house.log.until('late result refused')
  assert.equal((await house.find(thief.id)).status, 'processing')
  assert.equal((await listDeliveries(house.db, { limit: 1 })).items.length, 0)
  assert.equal(house.wokenDeliverer(), 0)
})

test('a living worker keeps its job beyond the lease', async (t) => {
  const finishing = Promise.withResolvers<void>()
  let starts = 0
  const execute: Execute = async () => {
    starts++
    await finishing.promise
    return DONE
  }
  const house = await setUp(t, { execute, timing: { leaseMs: 1_000, heartbeatMs: 50 }, concurrency: 4 })
  const asked = await house.submit({})
  await leaseMoves(house.db, 1_000)
  finishing.resolve()
  await house.log.until('job finished')
  assert.deepEqual([starts, (await house.find(asked.id)).executions], [1, 1])
})

test('the ticket of a slow provider is there for the next execution', async (t) => {
  const tickets: unknown[] = []
  const execute: Execute = async ({ ticket, executions }, { saveTicket }) => {
    tickets.push(ticket)
    if (executions === 1) {
      await saveTicket({ at: 'provider', id: 7 })
      throw new StoreUnavailable('and then the store went away')
    }
    return DONE
  }
  const house = await setUp(t, { execute, timing: { leaseMs: 20, heartbeatMs: NEVER_MS, pollMs: 5 } })
  const asked = await house.submit({})
  await house.log.until('job finished')
  assert.deepEqual(tickets, [null, { at: 'provider', id: 7 }])
  assert.deepEqual((await house.find(asked.id)).executions, 2)
})

test('a result outlives a store that is away for a moment', async (t) => {
  let refusals = 0
  const house = await setUp(t, {
    execute: async () => {
      refusals = 2
      return DONE
    },
    wrap: (db) => ({
      ...db,
      transaction: (statements, options) =>
        refusals-- > 0 ? Promise.reject(new StoreUnavailable('away')) : db.transaction(statements, options),
    }),
    timing: { pollMs: NEVER_MS },
  })
  const asked = await house.submit({})
  await house.log.until('job finished')
  const { status, executions } = await house.find(asked.id)
  assert.deepEqual([status, executions], ['success', 1])
})

test('a job that was started too often is failed by the sweep, with its webhook', async (t) => {
  const house = await setUp(t, { execute: hang, closed: true })
  const asked = await house.submit({ webhook: WEBHOOK })
  for (let execution = 1; execution <= 3; execution++)
    assert.equal((await claimJobs(house.db, { ...CLAIM, leaseMs: OVER_AT_ONCE_MS })).length, 1)
  house.open({ timing: { sweepMs: 5 } })
  await house.log.until('jobs given up')
  const job = await house.find(asked.id)
  assert.deepEqual([job.status, job.error], ['fail', 'The job was started 3 times and never came to an end.'])
  assert.deepEqual((await house.webhook()).error, { message: job.error })
})

test('results are removed when their time is over', async (t) => {
  const house = await setUp(t, { execute: echo, timing: { sweepMs: 5, keepMs: 0 } })
  const asked = await house.submit({})
  await house.log.until('job finished')
  while (await getJob(house.db, 'owner', asked.id));
  assert.equal(house.log.seen('cannot be swept').length, 0)
})

test('closing waits for what ends in time', async (t) => {
  const [started, finishing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const execute: Execute = async () => {
    started.resolve()
    await finishing.promise
    return DONE
  }
  const house = await setUp(t, { execute, concurrency: 1 })
  const [first, second] = [await house.submit({}), await house.submit({})]
  await started.promise
  const closed = house.worker().close()
  finishing.resolve()
  await closed
  assert.equal((await house.find(first.id)).status, 'success')
  assert.equal((await house.find(second.id)).executions, 0)
})

test('closing gives back what takes too long: another worker has it at once, and it was not an execution', async (t) => {
  const [started, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const execute: Execute = async (_, { signal }) => {
    started.resolve()
    await once(signal, 'abort')
    stopped.resolve()
    return { status: 'fail', error: 'This must not be stored.' }
  }
  const house = await setUp(t, { execute, timing: { graceMs: 0 } })
  const asked = await house.submit({})
  await started.promise
  await house.worker().close()
  await stopped.promise
  house.open({ execute: echo })
  await house.log.until('job finished')
  const { status, executions } = await house.find(asked.id)
  assert.deepEqual([status, executions], ['success', 1])
})

test('a submission in the same process is started at once, without waiting for the poll', async (t) => {
  const house = await setUp(t, { execute: echo, timing: { pollMs: NEVER_MS } })
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
  const house = await setUp(t, { execute, concurrency: 5, closed: true })
  await Promise.all(Array.from({ length: 300 }, () => house.submit({})))
  house.open({})
  house.open({})
  await house.log.until('job finished', 300)
  assert.deepEqual([runs.size, new Set(runs.values())], [300, new Set([1])])
  assert.ok(most <= 10)
})

type Setting = Partial<WorkerOptions> & { wrap?: (db: Database) => Database; closed?: boolean }

async function setUp(t: TestContext, { wrap = (db) => db, closed, ...setting }: Setting) {
  const closing = closer(t)
  const log = eventLog()
  let woken = 0
  let worker: ReturnType<typeof openWorker>
  if (!closed) open({})
  return { db, log, open, submit, find, webhook, worker: () => worker, wokenDeliverer: () => woken }

  function open(more: Partial<WorkerOptions>) {
    worker = openWorker({
      db: wrap(db),
      log,
      execute: echo,
      prepareDelivery: (announced) => prepareDelivery(announced, { signer, newId: randomUUID }),
      wakeDeliverer: () => woken++,
      deadlineMs: NEVER_MS,
      concurrency: 8,
      workerId: randomUUID(),
      ...setting,
      ...more,
      timing: { pollMs: 10, graceMs: 0, ...setting.timing, ...more.timing },
    })
    closing.defer(worker.close)
  }

  async function submit(parts: Partial<NewJob>): Promise<NewJob> {
    const job = newJob(parts)
    await submitJob(db, job)
    worker?.wake()
    return job
  }

  async function find(id: string) {
    return (await getJob(db, 'owner', id))!
  }

  /** The payload of the one webhook there is. */
  async function webhook() {
    const [delivery] = await claimDeliveries(db, { limit: 1, leaseMs: 0, perReceiver: 1 })
    return JSON.parse(Buffer.from(delivery!.body).toString())
  }
}

/** Claims the one job there is for another worker. */
async function stealFrom(db: Database) {
  for (;;) {
    const [job] = await claimJobs(db, CLAIM)
    if (job) return job
  }
}

/** Comes back when the lease of the one job there is ends so much later than it did at first. */
async function leaseMoves(db: Database, byMs: number) {
  const until = async () => (await db.query<{ end: number }>('SELECT lease_until AS "end" FROM jobs'))[0]!.end
  let first = await until()
  while (first === null) first = await until()
  while ((await until()) < first + byMs);
}
