import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { withEnoughTime } from '../../test/fakes/enough-time.ts'
import { CLAIM, OVER_AT_ONCE_MS } from '../../test/fakes/new-job.ts'
import { storeForAll } from '../../test/fakes/stores.ts'
import { ledgerLine } from '../../test/fakes/ledger-line.ts'
import { DONE, echo, NEVER_MS, startWorker, WEBHOOK } from '../../test/fakes/worker-harness.ts'
import { type Database, StoreUnavailable } from '../platform/store/database.ts'
import { listDeliveries } from '../platform/store/deliveries/watched-deliveries.ts'
import { claimJobs } from '../platform/store/jobs/job-runs.ts'
import type { Execute } from './run-job.ts'

// Who holds a job, for how long, and what happens to it when its worker is dead, late or closing.

const db = await storeForAll()
const hang: Execute = () => new Promise(() => {})

test('a job whose lease another worker got is dropped and aborted', async (t) => {
  const [started, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()]
  const execute: Execute = (_, { signal }) => {
    signal.addEventListener('abort', () => stopped.resolve(signal.reason))
    started.resolve()
    return new Promise(() => {})
  }
  // With a single place, a worker does not claim its own job again.
  const timing = { leaseMs: OVER_AT_ONCE_MS, heartbeatMs: 10, pollMs: NEVER_MS }
  const harness = startWorker(t, db, { execute, timing, concurrency: 1 })
  await harness.submit({})
  await started.promise
  const thief = await stealFrom(db)
  assert.match(String(await stopped.promise), /lost/)
  await harness.log.until('job dropped')
  assert.equal((await harness.find(thief.id)).status, 'processing')
})

test('a result that comes after another worker got the job is refused and logged', async (t) => {
  const [started, finishing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const execute: Execute = async () => {
    started.resolve()
    await finishing.promise
    return DONE
  }
  const timing = { leaseMs: OVER_AT_ONCE_MS, heartbeatMs: NEVER_MS, pollMs: NEVER_MS }
  const harness = startWorker(t, db, { execute, timing, concurrency: 1 })
  await harness.submit({ webhook: WEBHOOK })
  await started.promise
  const thief = await stealFrom(db)
  finishing.resolve()
  await harness.log.until('late result refused')
  assert.equal((await harness.find(thief.id)).status, 'processing')
  assert.equal((await listDeliveries(db, { limit: 1 })).items.length, 0)
  assert.equal(harness.wokenDeliverer(), 0)
})

test('a job that its owner stops is aborted at the next heartbeat, or at once, and ends with the line of its execution', async (t) => {
  for (const isAtOnce of [false, true]) {
    const [started, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const execute: Execute = async (job, { signal, keepLine }) => {
      signal.addEventListener('abort', () => stopped.resolve())
      keepLine(() => ledgerLine({ id: job.id, at: job.claimedAt, cost: 0.5 }))
      started.resolve()
      await stopped.promise
      return DONE
    }
    const timing = { heartbeatMs: isAtOnce ? NEVER_MS : 10, pollMs: NEVER_MS }
    const harness = startWorker(t, db, { execute, timing })
    const { id } = await harness.submit({})
    await started.promise
    await db.query("UPDATE jobs SET stop = 'cancelled' WHERE id = $1", [id])
    if (isAtOnce) harness.worker().stop(id)
    await harness.log.until('job finished')
    const { status, error } = await harness.find(id)
    assert.deepEqual([status, error], ['fail', 'The job was cancelled.'])
    const lines = await db.query<{ cost: number }>('SELECT cost_nanos / 1e9 AS cost FROM usage WHERE id = $1', [id])
    assert.deepEqual(
      lines.map(({ cost }) => cost),
      [0.5],
    )
  }
})

test('a job that was stopped while it waited is not executed', async (t) => {
  const harness = startWorker(t, db, { execute: hang, closed: true })
  const { id } = await harness.submit({})
  await db.query("UPDATE jobs SET stop = 'deleted' WHERE id = $1", [id])
  harness.open({})
  await harness.log.until('job finished')
  assert.equal((await harness.find(id)).status, 'fail')
})

test('a living worker keeps its job beyond the lease', async (t) => {
  await withEnoughTime(1_000, async (leaseMs) => {
    const finishing = Promise.withResolvers<void>()
    let starts = 0
    const execute: Execute = async () => {
      starts++
      await finishing.promise
      return DONE
    }
    const harness = startWorker(t, db, { execute, timing: { leaseMs, heartbeatMs: 50 }, concurrency: 4 })
    const request = await harness.submit({})
    await leaseMoves(db, request.id, leaseMs)
    finishing.resolve()
    await harness.log.until('job finished')
    await harness.worker().close()
    assert.deepEqual([starts, (await harness.find(request.id)).executions], [1, 1])
  })
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
  // With a single place, a worker does not claim its own job again while it runs, although the lease is over.
  const timing = { leaseMs: OVER_AT_ONCE_MS, heartbeatMs: NEVER_MS, pollMs: 5 }
  const harness = startWorker(t, db, { execute, timing, concurrency: 1 })
  const request = await harness.submit({})
  await harness.log.until('job finished')
  assert.deepEqual(tickets, [null, { at: 'provider', id: 7 }])
  assert.deepEqual((await harness.find(request.id)).executions, 2)
})

test('a result outlives a store that is away for a moment', async (t) => {
  let refusals = 0
  const harness = startWorker(t, db, {
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
  const request = await harness.submit({})
  await harness.log.until('job finished')
  const { status, executions } = await harness.find(request.id)
  assert.deepEqual([status, executions], ['success', 1])
})

test('a job that was started too often is failed by the sweep, with its webhook', async (t) => {
  const harness = startWorker(t, db, { execute: hang, closed: true })
  const request = await harness.submit({ webhook: WEBHOOK })
  for (let execution = 1; execution <= 3; execution++)
    assert.equal((await claimJobs(db, { ...CLAIM, leaseMs: OVER_AT_ONCE_MS })).length, 1)
  harness.open({ timing: { sweepMs: 5 } })
  await harness.log.until('jobs given up')
  const job = await harness.find(request.id)
  assert.deepEqual([job.status, job.error], ['fail', 'The job was started 3 times and never finished.'])
  assert.deepEqual((await harness.webhook()).error, { message: job.error })
})

test('closing waits for what ends in time', async (t) => {
  const [started, finishing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const execute: Execute = async () => {
    started.resolve()
    await finishing.promise
    return DONE
  }
  const harness = startWorker(t, db, { execute, concurrency: 1 })
  const [first, second] = [await harness.submit({}), await harness.submit({})]
  await started.promise
  const closed = harness.worker().close()
  finishing.resolve()
  await closed
  assert.equal((await harness.find(first.id)).status, 'success')
  assert.equal((await harness.find(second.id)).executions, 0)
})

test('closing gives back what takes too long: another worker has it at once, and it was not an execution', async (t) => {
  const [started, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const execute: Execute = async (_, { signal }) => {
    started.resolve()
    await once(signal, 'abort')
    stopped.resolve()
    return { status: 'fail', error: 'This must not be stored.' }
  }
  const harness = startWorker(t, db, { execute, timing: { graceMs: 0 } })
  const request = await harness.submit({})
  await started.promise
  await harness.worker().close()
  await stopped.promise
  harness.open({ execute: echo })
  await harness.log.until('job finished')
  const { status, executions } = await harness.find(request.id)
  assert.deepEqual([status, executions], ['success', 1])
})

/** Claims the only job for another worker. */
async function stealFrom(db: Database) {
  for (;;) {
    const [job] = await claimJobs(db, CLAIM)
    if (job) return job
  }
}

/** Waits until the lease of the only job ends this much later than it did at first. */
async function leaseMoves(db: Database, id: string, byMs: number) {
  const sql = 'SELECT lease_until AS "end" FROM jobs WHERE id = $1'
  const until = async () => (await db.query<{ end: number }>(sql, [id]))[0]!.end
  let first = await until()
  while (first === null) first = await until()
  while ((await until()) < first + byMs);
}
