import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeForAll } from '../../test/fakes/stores.ts'
import { ledgerLine } from '../../test/fakes/ledger-line.ts'
import { DONE, startWorker } from '../../test/fakes/worker-harness.ts'
import { claimJobs, releaseJob, saveTicket } from '../platform/store/jobs/job-runs.ts'
import type { LedgerLine } from '../platform/store/ledger/ledger-line.ts'
import { CLAIM } from '../../test/fakes/new-job.ts'
import { isInterrupted } from '../calls/attempts/slow-work.ts'
import { type Database, StoreUnavailable } from '../platform/store/database.ts'
import type { Execute } from './run-job.ts'

// A job has one line in the ledger, written together with its end, however it ends.

const db = await storeForAll()
const BARE = { stream: 0, endpoint: 'universal', provider: 'sandbox', model: 'text/moderation/sandbox' }

test('the line of an execution is there as soon as the end of its job is', async (t) => {
  const harness = startWorker(t, db, { execute: spending({ cost: 0.25, promptTokens: 12 }) })
  const { id } = await harness.submit({})
  await harness.log.until('job finished')
  assert.deepEqual(await lines(), [{ id, status: 200, code: null, cost: 0.25, tokens: 12 }])
})

test('an execution that ended before it began has a line without cost', async (t) => {
  const execute: Execute = async () => {
    throw new Error('the request cannot be read')
  }
  const harness = startWorker(t, db, { execute })
  const { id } = await harness.submit({})
  await harness.log.until('job finished')
  assert.deepEqual(await lines(), [{ id, status: 500, code: 'internal_error', cost: 0, tokens: 0 }])
})

test('a deadline has one line, with what was spent until then', async (t) => {
  const execute: Execute = async (job, { keepLine }) => {
    keepLine(() => ledgerLine({ id: job.id, status: 504, code: 'upstream_timeout', cost: 0.5 }))
    return await new Promise<never>(() => {})
  }
  const harness = startWorker(t, db, { execute, deadlineMs: 20 })
  const { id } = await harness.submit({})
  await harness.log.until('job finished')
  assert.deepEqual(await lines(), [{ id, status: 504, code: 'upstream_timeout', cost: 0.5, tokens: 1 }])
})

test('what an execution finds out to have spent after its deadline is in its line', async (t) => {
  const execute: Execute = async (job, { signal, keepLine }) => {
    let cost = 0
    keepLine(() => ledgerLine({ id: job.id, status: 504, code: 'upstream_timeout', cost }))
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await new Promise((resolve) => setImmediate(resolve))
    cost = 0.5
    return signal.throwIfAborted() as never
  }
  const harness = startWorker(t, db, { execute, deadlineMs: 20 })
  const { id } = await harness.submit({})
  await harness.log.until('job finished')
  assert.deepEqual(await lines(), [{ id, status: 504, code: 'upstream_timeout', cost: 0.5, tokens: 1 }])
})

test('what the sweep gives up has a line whose cost is unknown', async (t) => {
  const harness = startWorker(t, db, { closed: true })
  const { id } = await harness.submit({})
  await claimJobs(db, { ...CLAIM, leaseMs: -1, maxExecutions: 1 })
  const late = await harness.submit({})
  await claimJobs(db, { ...CLAIM, deadlineMs: -1, maxExecutions: 1 })
  harness.open({ maxExecutions: 1, timing: { sweepMs: 10, deadlineGraceMs: 0 } })
  await harness.log.until('jobs given up')
  const found = new Map((await lines()).map((line) => [line.id, line]))
  assert.deepEqual(found.get(id), { id, status: 500, code: 'internal_error', cost: null, tokens: 0 })
  assert.deepEqual(found.get(late.id), { id: late.id, status: 504, code: 'upstream_timeout', cost: null, tokens: 0 })
  const [about] = await db.query('SELECT stream, endpoint, provider, model FROM usage WHERE id = $1', [id])
  assert.deepEqual({ ...(about as object) }, BARE)
})

test('a job that is cancelled while it waits for its second execution has an unknown cost if the first has ordered something', async (t) => {
  const harness = startWorker(t, db, { closed: true })
  for (const [ticket, cost] of [
    [{ target: 'slow', value: 'ticket' }, null],
    [{ target: 'the next one' }, 0],
    [{ tools: ['mcp/tickets/close'] }, 0],
    [null, 0],
  ] as const) {
    const { id } = await harness.submit({})
    const [claimed] = await claimJobs(db, { ...CLAIM, maxExecutions: 2 })
    if (ticket) await saveTicket(db, { ...claimed!, ticket })
    await releaseJob(db, claimed!)
    await db.query(`UPDATE jobs SET stop = 'cancelled' WHERE id = $1`, [id])
    harness.open({})
    await harness.log.until('job finished')
    await harness.worker().close()
    const line = (await lines()).find((one) => one.id === id)
    assert.deepEqual(line, { id, status: 499, code: 'cancelled', cost, tokens: 0 })
  }
})

test('a result that comes too late has spent something: it has a line with its own id', async (t) => {
  const recorded: LedgerLine[] = []
  const [started, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const execute: Execute = async (job, tools) => {
    if (job.attempt > 1) return await spending({ cost: 0.25 })(job, tools)
    started.resolve()
    await goOn.promise
    return await spending({ cost: 0.75 })(job, tools)
  }
  const recordLine = (line: LedgerLine) => void recorded.push(line)
  const harness = startWorker(t, db, { execute, recordLine })
  const { id } = await harness.submit({})
  await started.promise
  await db.query('UPDATE jobs SET lease_until = 1 WHERE id = $1', [id])
  harness.open({ execute })
  await harness.log.until('job finished')
  goOn.resolve()
  await harness.log.until('late result refused')
  assert.deepEqual(await lines(), [{ id, status: 200, code: null, cost: 0.25, tokens: 1 }])
  assert.deepEqual(
    recorded.map((line) => [line.id, line.cost]),
    [[`${id}.1`, 0.75]],
  )
})

test('an interrupted execution that spent nothing has no line', async (t) => {
  const recorded: LedgerLine[] = []
  const started = Promise.withResolvers<void>()
  const execute: Execute = async (job, { signal, keepLine }) => {
    keepLine(() => ledgerLine({ id: job.id, cost: 0, promptTokens: 0, completionTokens: 0 }))
    started.resolve()
    return await new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const harness = startWorker(t, db, { execute, recordLine: (line) => void recorded.push(line) })
  await harness.submit({})
  await started.promise
  await harness.worker().close()
  assert.deepEqual([await lines(), recorded], [[], []])
})

test('what an execution spent until it was given back is recorded before the worker is closed, also if it hangs', async (t) => {
  for (const hangs of [false, true]) {
    const recorded: LedgerLine[] = []
    const started = Promise.withResolvers<void>()
    const execute: Execute = async (job, { signal, keepLine }) => {
      let cost = hangs ? 0.75 : 0
      keepLine(() => ledgerLine({ id: job.id, cost, promptTokens: 0, completionTokens: 0 }))
      started.resolve()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      if (hangs) return await new Promise<never>(() => {})
      // Ending the work at its provider takes some turns.
      for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
      cost = 0.75
      throw signal.reason
    }
    const harness = startWorker(t, db, { execute, recordLine: (line) => void recorded.push(line) })
    await harness.submit({})
    await started.promise
    await harness.worker().close()
    assert.deepEqual(
      recorded.map(({ cost }) => cost),
      [0.75],
      hangs ? 'hangs' : 'ends',
    )
    await db.query('DELETE FROM jobs')
  }
})

test('an execution whose ticket the store cannot take is interrupted before it goes on: another one follows', async (t) => {
  const seen: unknown[] = []
  let isAway = false
  const execute: Execute = async ({ executions, ticket }, { signal, saveTicket }) => {
    if (executions > 1) {
      seen.push(ticket)
      return DONE
    }
    await saveTicket({ id: 1 })
    isAway = true
    await saveTicket({ id: 2 }).catch(() => seen.push(isInterrupted(signal)))
    isAway = false
    throw signal.reason
  }
  const wrap = (db: Database): Database => ({
    ...db,
    transaction: (statements, options) =>
      isAway ? Promise.reject(new StoreUnavailable('away')) : db.transaction(statements, options),
  })
  const timing = { leaseMs: 400, heartbeatMs: 60_000, pollMs: 5, ticketMs: 0 }
  const harness = startWorker(t, db, { execute, wrap, timing, concurrency: 1 })
  await harness.submit({})
  await harness.log.until('job finished')
  assert.deepEqual(seen, [true, { id: 1 }])
})

function spending(parts: Partial<LedgerLine>): Execute {
  return async ({ id }, { keepLine }) => {
    keepLine(() => ledgerLine({ id, ...parts }))
    return DONE
  }
}

async function lines() {
  const rows = await db.query<{ id: string }>(
    'SELECT id, status, code, cost_nanos / 1e9 AS cost, prompt_tokens AS tokens FROM usage',
  )
  return rows.map((row) => ({ ...row }))
}
