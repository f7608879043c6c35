import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { CLAIM, newDelivery, newJob, OVER_AT_ONCE_MS, success } from '../../../../test/fakes/new-job.ts'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import type { Database } from '../database.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  expireDeliveries,
  type NewDelivery,
  readBody,
  recordAttempt,
  releaseDelivery,
} from './deliveries.ts'
import { listDeliveries } from './watched-deliveries.ts'
import { redeliver } from './redeliver.ts'
import { claimJobs, finishJob } from '../jobs/job-runs.ts'
import { submitJob } from '../jobs/jobs.ts'

// More rows than one claim looks at. Inserting them is slow on PostgreSQL.
const SLOW = { sqlite: 300, postgres: 40 }
const RECORD = { durationMs: 12, answer: 'thanks', signed: { timestamp: 1_800_000_000, timestampSignature: 'v1a,x' } }
const DELIVERED = { state: 'delivered', status: 200, error: null, delayMs: 0, record: RECORD } as const
const FAILED = {
  state: 'failed',
  status: 400,
  error: 'The receiver answered with status 400.',
  delayMs: 0,
  record: RECORD,
} as const
const RETRIED = {
  state: 'pending',
  status: 503,
  error: 'The receiver answered with status 503.',
  record: RECORD,
} as const

await onBothStores('deliveries', ({ one, other }) => {
  test('are claimed with the bytes that were signed', async () => {
    const body = Uint8Array.from({ length: 1_000 }, (_, index) => index % 256)
    const [delivery] = await put(one, [{ body }])
    const claimed = await claimOne(other)
    assert.deepEqual(claimed, { ...delivery, owner: 'owner', bodyBytes: 1_000, attempts: 0, lease: 1 })
    assert.deepEqual(await claim(one), [])
  })

  test('are claimed without a large body, which is read on its own', async () => {
    const body = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256)
    const [delivery] = await put(one, [{ body }])
    const claimed = await claimOne(other)
    assert.deepEqual([claimed.body, claimed.bodyBytes], [null, 70_000])
    assert.ok(Buffer.from(body).equals(await readBody(other, delivery!.id)))
    await assert.rejects(readBody(other, randomUUID()), /no delivery/)
  })

  test('are claimed by one deliverer each, however many claim at once', async () => {
    await put(
      one,
      Array.from({ length: 120 }, (_, index) => ({ receiver: `receiver-${index % 60}` })),
    )
    const claims = await Promise.all(Array.from({ length: 16 }, (_, index) => claim(index % 2 ? one : other)))
    for (let more = await claim(one); more.length > 0; more = await claim(one)) claims.push(more)
    const ids = claims.flat().map(({ id }) => id)
    assert.deepEqual([ids.length, new Set(ids).size], [120, 120])
  })

  test('go to one receiver a few at a time, and those of another do not wait for it', async () => {
    await put(
      one,
      Array.from({ length: SLOW[one.kind] }, () => ({ receiver: 'slow' })),
    )
    await put(
      one,
      Array.from({ length: 3 }, (_, index) => ({ receiver: 'quick', id: `quick-${index}` })),
    )
    const first = await claim(one, { perReceiver: 4 })
    const second = await claim(other, { perReceiver: 4 })
    const receivers = [...first, ...second].map(({ receiver }) => receiver)
    assert.deepEqual([receivers.filter((name) => name === 'slow').length, receivers.length], [4, 7])
    await recordAttempt(one, { ...first.find(({ receiver }) => receiver === 'slow')!, ...DELIVERED })
    assert.deepEqual(
      (await claim(one, { perReceiver: 4 })).map(({ receiver }) => receiver),
      ['slow'],
    )
  })

  test('that fail for now come back after their delay', async () => {
    const [delivery] = await put(one, [{}])
    assert.equal(await recordAttempt(one, { ...(await claimOne(one)), ...RETRIED, delayMs: 60_000 }), true)
    assert.deepEqual(await claim(one), [])
    const [waiting] = (await listDeliveries(one, { limit: 1 })).items
    assert.deepEqual(
      [waiting!.state, waiting!.attempts, waiting!.lastStatus, waiting!.settledAt],
      ['pending', 1, 503, null],
    )
    assert.ok(Math.abs(waiting!.nextAt - waiting!.createdAt - 60_000) < 5_000)
    await redeliver(one, delivery!.id)
    assert.equal(await recordAttempt(one, { ...(await claimOne(one)), ...RETRIED, delayMs: -1 }), true)
    assert.deepEqual([(await claimOne(one)).attempts], [1])
  })

  test('of a dead deliverer are claimed again, and its later writes are refused', async () => {
    await put(one, [{}])
    const gone = await claimOne(one, { leaseMs: OVER_AT_ONCE_MS })
    const living = await claimOne(other)
    assert.deepEqual([living.id, living.lease, living.attempts], [gone.id, 2, 0])
    assert.deepEqual(living.body, gone.body)
    assert.equal(await recordAttempt(one, { ...gone, ...FAILED }), false)
    assert.equal(await releaseDelivery(one, gone), false)
    assert.equal(await recordAttempt(other, { ...living, ...DELIVERED }), true)
    assert.equal(await recordAttempt(one, { ...gone, ...FAILED }), false)
    assert.equal((await listDeliveries(one, { limit: 1 })).items[0]!.state, 'delivered')
  })

  test('that are handed back were not tried', async () => {
    await put(one, [{}])
    const first = await claimOne(one)
    assert.equal(await releaseDelivery(one, first), true)
    const second = await claimOne(other)
    assert.deepEqual([second.id, second.attempts, second.lease], [first.id, 0, 2])
  })

  test('are sent again on demand: the same bytes and signature, and all attempts anew', async () => {
    const [delivery] = await put(one, [{}])
    await recordAttempt(one, { ...(await claimOne(one)), ...FAILED })
    assert.deepEqual(await claim(one), [])
    const again = (await redeliver(other, delivery!.id))!
    assert.deepEqual([again.state, again.attempts, again.settledAt], ['pending', 0, null])
    const { body, ...same } = delivery!
    assert.deepEqual(await claimOne(one), {
      ...same,
      owner: 'owner',
      body,
      bodyBytes: body.length,
      attempts: 0,
      lease: 3,
    })
    assert.equal(await redeliver(one, randomUUID()), undefined)
  })

  test('in flight are not sent a second time beside it', async () => {
    await put(one, [{}])
    const flying = await claimOne(one)
    assert.equal((await redeliver(one, flying.id))?.state, 'pending')
    assert.deepEqual(await claim(one), [])
    assert.equal(await recordAttempt(one, { ...flying, ...DELIVERED }), true)
  })

  test('sent again after their deliverer was gone do not take its outcome for theirs', async () => {
    await put(one, [{}])
    const gone = await claimOne(one, { leaseMs: OVER_AT_ONCE_MS })
    await redeliver(one, gone.id)
    assert.equal(await recordAttempt(one, { ...gone, ...FAILED }), false)
  })

  test('are listed newest first by cursor, without their bytes', async () => {
    const put11 = await put(
      one,
      Array.from({ length: 11 }, () => ({})),
    )
    await recordAttempt(one, { ...(await claim(one, { limit: 1 }))[0]!, ...DELIVERED })
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { items, nextCursor } = await listDeliveries(one, { limit: 4, cursor })
      assert.ok(items.every((item) => !('body' in item)))
      seen.push(...items.map(({ id }) => id))
      cursor = nextCursor
    }
    assert.deepEqual(new Set(seen), new Set(put11.map(({ id }) => id)))
    assert.equal((await listDeliveries(one, { limit: 20, state: 'delivered' })).items.length, 1)
    assert.equal((await listDeliveries(one, { limit: 20, jobId: put11[3]!.jobId })).items[0]!.id, put11[3]!.id)
    await assert.rejects(listDeliveries(one, { limit: 1, cursor: '' }), { status: 422 })
  })

  test('are forgotten some time after they were settled, and never while they are pending', async () => {
    await put(one, [{}, {}, {}])
    for (const claimed of await claim(one, { limit: 2 })) await recordAttempt(one, { ...claimed, ...DELIVERED })
    assert.equal(await expireDeliveries(one, { keepMs: 60_000, limit: 10 }), 0)
    assert.equal(await expireDeliveries(one, { keepMs: -60_000, limit: 1 }), 1)
    assert.equal(await expireDeliveries(one, { keepMs: -60_000, limit: 10 }), 1)
    assert.equal((await listDeliveries(one, { limit: 10 })).items.length, 1)
    const [left] = await one.query<{ rows: number }>('SELECT COUNT(*) AS "rows" FROM delivery_bodies')
    assert.equal(left!.rows, 1)
  })
})

await onBothStores('webhooks of several owners', ({ one }) => {
  const to = (owner: string, receiver: string) => ({ owner, receiver })

  test('to one receiver do not wait for each other', async () => {
    await put(one, [to('a', 'shared'), to('a', 'shared'), to('a', 'shared'), to('b', 'shared')])
    const claimed = await claim(one, { perReceiver: 2 })
    assert.deepEqual(claimed.map(({ owner }) => owner).toSorted(), ['a', 'a', 'b'])
    assert.deepEqual(await claim(one, { perReceiver: 2 }), [])
  })

  test('of an owner with enough on their way are passed over, and of each other one the first that may go', async () => {
    await put(
      one,
      [...Array(20).keys()].map((host) => to('flood', `host-${host}`)),
    )
    assert.equal((await claim(one, { limit: 5 })).length, 5)
    await put(one, [to('a', 'full')])
    assert.equal((await claim(one, { maxRunning: 4, perReceiver: 1 })).length, 1)
    await put(one, [to('a', 'full'), to('a', 'other'), to('b', 'other')])
    const claimed = await claim(one, { maxRunning: 4, perReceiver: 1 })
    assert.deepEqual(claimed.map(({ owner, receiver }) => `${owner} ${receiver}`).toSorted(), ['a other', 'b other'])
    assert.deepEqual(
      (await claim(one, { maxRunning: 5, perReceiver: 1 })).map(({ owner }) => owner),
      ['flood'],
      'what may not go yet does not count',
    )
  })
})

/** Puts webhooks into the outbox in the only possible way: together with the end of their jobs. */
async function put(db: Database, parts: (Partial<NewDelivery> & { owner?: string })[]): Promise<NewDelivery[]> {
  const jobs = parts.map(({ owner = 'owner' }) => newJob({ owner }))
  await Promise.all(jobs.map((job) => submitJob(db, job)))
  const deliveries = jobs.map(({ id }, index) => {
    const { owner: _, ...part } = parts[index]!
    return newDelivery({ jobId: id, ...part })
  })
  const claimed = new Map((await claimJobs(db, { ...CLAIM, limit: parts.length })).map((job) => [job.id, job]))
  await Promise.all(jobs.map(({ id }, index) => finishJob(db, success(claimed.get(id)!), deliveries[index])))
  return deliveries
}

function claim(db: Database, parts: Partial<Parameters<typeof claimDeliveries>[1]> = {}) {
  return claimDeliveries(db, { limit: 10, leaseMs: CLAIM.leaseMs, perReceiver: 10, ...parts })
}

async function claimOne(db: Database, parts: { leaseMs?: number } = {}): Promise<ClaimedDelivery> {
  const [delivery, ...more] = await claim(db, parts)
  assert.ok(delivery && more.length === 0)
  return delivery
}
