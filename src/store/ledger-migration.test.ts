import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { storeKinds, storeOfVersion } from '../../test/fakes/stores.ts'
import type { Database } from './database.ts'
import { sumUsage } from './ledger/sum-usage.ts'
import { migrate } from './migrations.ts'
import { DAY_MS } from '../units/units.ts'

// A ledger that an earlier version has written: its lines, with their cost in dollars, become lines with billionths of a
// dollar, and their sums are there from the first moment on.

const BEFORE = 6
/** Longer than any month, so two times that are this far apart are never in the same one. */
const MONTH_MS = 32 * DAY_MS

for (const kind of await storeKinds()) {
  describe(`an older ledger on ${kind.name}`, { skip: kind.skip }, () => {
    test('keeps its lines, its sums and the cost of its jobs', async (t) => {
      const db = await storeOfVersion(BEFORE, kind, t)
      const now = (await db.query<{ now: number }>('SELECT now_ms() AS now'))[0]!.now
      // The first line has a time that no clock has shown, and the second one no known cost.
      const lines = [
        { at: 5, cost: 0.000_000_001 },
        { at: now - 14 * MONTH_MS, cost: null },
        { at: now - 2 * MONTH_MS, cost: 0.1 },
        { at: now, cost: 0.2 },
        { at: now + MONTH_MS, cost: 1e-7 },
      ]
      for (const { at, cost } of lines) await insertOldLine(db, at, cost)
      await insertOldJob(db, 0.0025)
      await migrate(db)
      const stored = await db.query<{ nanos: number | null }>('SELECT cost_nanos AS nanos FROM usage ORDER BY at')
      assert.deepEqual(
        stored.map(({ nanos }) => nanos),
        [1, null, 100_000_000, 200_000_000, 100],
      )
      const { sums } = await sumUsage(db, { from: 0, to: now + 2 * MONTH_MS, groupBy: 'key', now })
      const [{ requests, costNanos, unpricedRequests, latencies }] = sums as [(typeof sums)[0]]
      assert.deepEqual([requests, costNanos, unpricedRequests], [5, 300_000_101n, 1])
      assert.equal(latencies[5], 5)
      assert.deepEqual(await db.query('SELECT cost_nanos AS nanos FROM jobs').then(plain), [{ nanos: 2_500_000 }])
      if (db.kind === 'postgres') assert.deepEqual(await partitionsWithLines(db), [1, 1, 1, 1, 1])
    })
  })
}

function plain(rows: unknown[]): unknown[] {
  return rows.map((row) => ({ ...(row as object) }))
}

async function insertOldLine(db: Database, at: number, cost: number | null) {
  await db.query(
    `INSERT INTO usage (id, at, key_id, owner, endpoint, model, provider, status, stream, attempts, prompt_tokens,
       cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, cost, estimated, duration_ms)
     VALUES ($1, $2, 'k', 'o', 'chat', 'm', 'p', 200, 0, 1, 1, 0, 0, 1, 0, $3, 0, 100)`,
    [`line-${at}`, at, cost],
  )
}

async function insertOldJob(db: Database, cost: number) {
  await db.query(
    `INSERT INTO jobs (id, owner, key_id, feature, subfeature, provider, show_original, state, turn, attempt, executions,
       cost, created_at) VALUES ('job', 'o', 'k', 'text', 'moderation', 'p', 0, 'success', 0, 1, 1, $1, 0)`,
    [cost],
  )
}

/** How many lines each partition has that has any. The line with the impossible time is in the one for others. */
async function partitionsWithLines(db: Database): Promise<number[]> {
  const rows = await db.query<{ lines: number }>('SELECT COUNT(*) AS lines FROM usage GROUP BY tableoid')
  return rows.map(({ lines }) => lines)
}
