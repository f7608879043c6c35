import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { test } from 'node:test'
import { eventLog } from '../../test/fakes/event-log.ts'
import { claimOne, newDelivery, newJob, success } from '../../test/fakes/new-job.ts'
import { closer, newStore, onBothStores } from '../../test/fakes/stores.ts'
import { ledgerLine } from '../../test/fakes/ledger-line.ts'
import { Retention } from './retention.ts'
import { insertAlert, listAlerts, resolveAlert } from '../platform/store/alerts/alerts.ts'
import { listAudit } from '../platform/store/audit/read.ts'
import type { Database } from '../platform/store/database.ts'
import { claimDeliveries, recordAttempt } from '../platform/store/deliveries/deliveries.ts'
import { listDeliveries } from '../platform/store/deliveries/watched-deliveries.ts'
import { finishJob } from '../platform/store/jobs/job-runs.ts'
import { RESPONSES, submitJob } from '../platform/store/jobs/jobs.ts'
import { listAllJobs } from '../platform/store/jobs/watched-jobs.ts'
import { sumUsage } from '../platform/store/ledger/sum-usage.ts'
import { takeLease } from '../platform/store/maintenance/lease.ts'
import { freeBytes } from '../platform/store/maintenance/vacuum.ts'
import { insertUsage } from '../platform/store/ledger/usage.ts'
import { MB, DAY_MS } from '../base/units/units.ts'

const DAYS = { ledgerRetentionDays: 90, jobRetentionDays: 7, deliveryRetentionDays: 3, responseRetentionDays: 7 }

await onBothStores('retention', ({ one, other }) => {
  test('removes what is too old and keeps the rest, and the sums outlive the lines', async () => {
    const now = await clockOf(one)
    await createPartitionOf(one, now - 130 * DAY_MS)
    const ages = [500, 400, 130, 129, 91, 89, 1, 0]
    await insertUsage(
      one,
      ages.map((days) => ledgerLine({ id: `line-${days}`, at: now - days * DAY_MS })),
    )
    for (const days of [8, 6, 0]) await endJob(one, days)
    await retentionOn(one).run()
    // PostgreSQL removes whole months, so some lines stay a little longer there.
    const left = new Set(await ageOfLines(one))
    for (const days of [500, 400, 130, 129]) assert.ok(!left.has(days), `${days} days`)
    for (const days of [89, 1, 0]) assert.ok(left.has(days), `${days} days`)
    assert.equal((await listAllJobs(one, { limit: 10 })).items.length, 2)
    assert.equal((await listDeliveries(one, { limit: 10 })).items.length, 1)
    const { sums } = await sumUsage(one, { from: 0, to: now + 1, groupBy: 'key', now })
    assert.deepEqual(Object.fromEntries(sums.map(({ group, requests }) => [group, requests])), {
      key: ages.length,
      jobs: 3,
    })
  })

  test('the audit log has how much was removed, with one row an hour', async () => {
    const start = (await listAudit(one, { limit: 100 })).rows.length
    let monotonic = 0
    const retention = retentionOn(one, { monotonic: () => monotonic })
    const round = async (count: number) => {
      for (let jobs = 0; jobs < count; jobs++) await endJob(one, 8)
      await retention.run()
      const { rows } = await listAudit(one, { limit: 100 })
      return rows.slice(0, rows.length - start).map(({ actor, action, after }) => {
        const { jobs, deliveries } = JSON.parse(after!)
        return [actor, action, { jobs, deliveries }]
      })
    }
    const first = ['gateway', 'retention.delete', { jobs: 2, deliveries: 2 }]
    assert.deepEqual(await round(0), [], 'nothing was removed')
    assert.deepEqual(await round(2), [first])
    monotonic += 3_599_999
    assert.deepEqual(await round(1), [first])
    monotonic += 1
    assert.deepEqual(await round(1), [['gateway', 'retention.delete', { jobs: 2, deliveries: 2 }], first])
  })

  test('responses in the background have the retention of responses, and deleted ones go at once', async () => {
    const now = await clockOf(one)
    const ages = { old: 8, young: 6, deleted: 0 }
    for (const [owner, days] of Object.entries(ages)) {
      await submitJob(one, newJob({ feature: RESPONSES, owner }))
      await finishJob(one, success(await claimOne(one), { finishedAt: now - days * DAY_MS }))
    }
    await one.query("UPDATE jobs SET stop = 'deleted' WHERE owner = 'deleted'")
    await retentionOn(one).run()
    const left = (await listAllJobs(one, { limit: 10 })).items.map(({ owner }) => owner)
    assert.deepEqual(left, ['young'])
  })

  test('alerts that have been over for 90 days go, and open ones stay', async () => {
    const now = await clockOf(one)
    const alert = {
      rule: 'budget',
      state: 'open',
      severity: 'warning',
      summary: '',
      details: '{}',
      project: null,
    } as const
    const old = { ...alert, value: 1, threshold: 1, since: 0, createdAt: 0 }
    const overFor = { open: 0, young: 89, old: 91 }
    for (const [id, days] of Object.entries(overFor))
      await one.transaction([
        insertAlert({ ...old, id, subject: id }),
        ...(days > 0 ? [resolveAlert(id, now - days * DAY_MS)] : []),
      ])
    await retentionOn(one).run()
    const { items } = await listAlerts(one, { limit: 10 })
    assert.deepEqual(items.map(({ id }) => id).sort(), ['open', 'young'])
  })

  test('is the work of one process at a time, and of another one if that dies', async () => {
    const now = await clockOf(one)
    await insertUsage(one, [ledgerLine({ at: now - 500 * DAY_MS })])
    assert.ok(await takeLease(other, { name: 'retention', leaseHolder: 'other', forMs: 60_000 }))
    await retentionOn(one).run()
    assert.deepEqual(await ageOfLines(one), [500])
    assert.ok(await takeLease(other, { name: 'retention', leaseHolder: 'other', forMs: -1 }))
    await retentionOn(one).run()
    assert.deepEqual(await ageOfLines(one), [])
  })

  test('reports a store that is away, and goes on later', async () => {
    const log = eventLog()
    const away = { ...one, query: () => Promise.reject(new Error('away')) }
    await retentionOn(away, { log }).run()
    assert.equal(log.seen('cannot be removed').length, 1)
    await retentionOn(one).run()
  })

  test('has a partition for every month to come, and lines that were early move into theirs', {
    skip: one.kind === 'sqlite',
  }, async () => {
    const nextYear = (await clockOf(one)) + 365 * DAY_MS
    await insertUsage(one, [ledgerLine({ id: 'early', at: nextYear })])
    assert.equal(await tableOf(one, 'early'), 'usage_other')
    await retentionOn(one, { now: () => nextYear }).run()
    assert.match(await tableOf(one, 'early'), /^usage_\d{4}_\d{2}$/)
    await insertUsage(one, [ledgerLine({ id: 'early', at: nextYear })])
    const { sums } = await sumUsage(one, { from: nextYear, to: nextYear + 1, groupBy: 'key', now: nextYear })
    assert.equal(sums[0]!.requests, 1)
  })
})

test('SQLite: the file shrinks in steps when lines are removed', async (t) => {
  const db = await newStore(closer(t))
  const rows = Array.from({ length: 12_000 }, (_, index) => ledgerLine({ id: `line-${index}`, at: index }))
  await insertUsage(db, rows)
  const [file] = await db.query<{ file: string }>('SELECT file FROM pragma_database_list')
  await retentionOn(db, { spareBytes: 64 * 1024 }).run()
  assert.deepEqual(await db.query('SELECT id FROM usage'), [])
  const bytes = await freeBytes(db)
  assert.ok(bytes <= 64 * 1024, `${bytes} bytes are free`)
  await db.close()
  // The tables and indexes of an empty store alone take 1 MB.
  assert.ok(statSync(file!.file).size < 2 * MB)
})

function retentionOn(db: Database, parts: Partial<ConstructorParameters<typeof Retention>[0]> = {}) {
  return new Retention({ db, log: eventLog(), config: () => DAYS, leaseHolder: 'test', now: Date.now, ...parts })
}

/** An ended job, with a webhook that arrived. */
async function endJob(db: Database, daysAgo: number): Promise<void> {
  await submitJob(db, newJob())
  const claimed = await claimOne(db)
  await finishJob(
    db,
    success(claimed, { line: ledgerLine({ id: claimed.id, keyId: 'jobs' }) }),
    newDelivery({ jobId: claimed.id }),
  )
  const [delivery] = await claimDeliveries(db, { limit: 1, leaseMs: 60_000, perReceiver: 9 })
  const { id, lease } = delivery!
  await recordAttempt(db, {
    id,
    lease,
    state: 'delivered',
    status: 200,
    error: null,
    delayMs: 0,
    record: { durationMs: 1, answer: null, signed: null },
  })
  const ms = daysAgo * DAY_MS
  await db.query('UPDATE jobs SET finished_at = finished_at - $1 WHERE id = $2', [ms, claimed.id])
  await db.query('UPDATE deliveries SET settled_at = settled_at - $1 WHERE id = $2', [ms, id])
}

async function clockOf(db: Database): Promise<number> {
  return (await db.query<{ now: number }>('SELECT now_ms() AS now'))[0]!.now
}

/** As a gateway that ran at that time has left it. */
async function createPartitionOf(db: Database, time: number): Promise<void> {
  if (db.kind === 'postgres')
    await retentionOn(db, { now: () => time, config: () => ({ ...DAYS, ledgerRetentionDays: 36_500 }) }).run()
}

async function ageOfLines(db: Database): Promise<number[]> {
  const now = await clockOf(db)
  const rows = await db.query<{ at: number }>('SELECT at FROM usage WHERE at > 10000')
  return rows.map(({ at }) => Math.floor((now - at) / DAY_MS)).sort((a, b) => b - a)
}

async function tableOf(db: Database, id: string): Promise<string> {
  const sql = 'SELECT CAST(CAST(tableoid AS regclass) AS TEXT) AS name FROM usage WHERE id = $1'
  return (await db.query<{ name: string }>(sql, [id]))[0]!.name
}
