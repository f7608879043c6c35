import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { insertManyLines, MONTH_MS } from '../../../../test/fakes/many-lines.ts'
import { storeKinds } from '../../../../test/fakes/stores.ts'
import { sample } from '../../../../test/soak/sample.ts'
import type { Database, Value } from '../database.ts'
import type { LineFilter } from '../ledger/line-filter.ts'
import { migrate } from '../migrations.ts'
import { findRequests } from './find-requests.ts'
import { DAY_MS } from '../../../base/units/units.ts'

// How the stores find the first page of the request log: in the order of an index, whatever the filter is, without reading the
// whole ledger and without sorting more than a page.

const LINES = sample(60_000, 300_000)
/** Long ago, so that all lines are in one partition. */
const TO = Date.UTC(2020, 5, 30)

/** Filters with an index of their own, and what is in its name in each store. */
const INDEXED: [(value: string) => LineFilter, RegExp][] = [
  [(value) => ({ key: `${value} key` }), /usage_by_key|key_id_at_id/],
  [(value) => ({ user: `${value} user` }), /usage_by_user|user_id_at_id/],
  [(value) => ({ endUser: `${value} end_user` }), /usage_by_end_user|end_user_at_id/],
  [(value) => ({ project: `${value} project` }), /usage_by_project|project_at_id/],
  [(value) => ({ project: `${value} project`, model: `${value} model` }), /usage_by_project|project_at_id/],
]
const OF_FAILURES = /usage_failed|usage_other_at_id_idx/
const OF_GUARDRAILS = /usage_by_guardrails|usage_other_at_id_idx/
const OF_TIME = /sqlite_autoindex_usage|usage_other_pkey/
const OTHERS: [LineFilter, RegExp][] = [
  [{}, OF_TIME],
  [{ failed: true }, OF_FAILURES],
  [{ status: '5xx' }, OF_FAILURES],
  [{ exactStatus: 418 }, OF_FAILURES],
  [{ code: 'rare' }, OF_FAILURES],
  [{ fallback: true }, /usage_with_fallback|usage_other_at_id_idx/],
  [{ guardrail: { id: 'rare' } }, OF_GUARDRAILS],
  [{ guardrail: { id: 'rare', outcome: 'blocked' } }, OF_GUARDRAILS],
  [{ guardrail: { id: 'rare', outcome: 'passed' } }, OF_TIME],
  [{ failed: false }, OF_TIME],
  [{ fallback: false }, OF_TIME],
  [{ organization: 'rare organization' }, OF_TIME],
  [{ owner: 'rare project' }, OF_TIME],
  [{ tag: { name: 'team', value: 'rare' } }, OF_TIME],
  [{ requested_model: 'rare requested_model' }, OF_TIME],
  [{ model: 'rare model' }, OF_TIME],
  [{ provider: 'rare provider' }, OF_TIME],
  [{ endpoint: 'rare endpoint' }, OF_TIME],
  [{ minCost: 4 }, OF_TIME],
  [{ maxCost: 0.1 }, OF_TIME],
  [{ minDurationMs: 80_000 }, OF_TIME],
  [{ maxDurationMs: 1 }, OF_TIME],
  [{ upstreamId: 'up-3' }, OF_TIME],
  [{ reach: { organizations: ['rare organization'], projects: ['rare project'], own: undefined } }, OF_TIME],
]
const FILTERS = [
  ...INDEXED.flatMap(([filter, index]) => ['rare', 'old', 'frequent'].map((value) => [filter(value), index] as const)),
  ...OTHERS,
]

for (const { name, skip, newStore } of await storeKinds())
  describe(`plans of the request log on ${name}`, { skip }, () => {
    let db: Database
    before(async () => {
      const store = await newStore()
      db = await store.open()
      await migrate(db)
      await insertManyLines(db, LINES, TO)
      return async () => {
        await db.close()
        await store.remove()
      }
    })

    for (const [filter, index] of FILTERS)
      for (const after of [undefined, { at: TO - 3 * DAY_MS, id: 'line-1' }])
        test(`${JSON.stringify(filter)} ${after ? 'on a later page' : ''}`, async () => {
          for (const steps of await plansOf(filter, after)) {
            assert.ok(
              steps.some((step) => index.test(step)),
              steps.join('\n'),
            )
            assert.deepEqual(steps.filter(isSlow), [], steps.join('\n'))
          }
        })

    test('an id is found by its own index, and only what has it is sorted', async () => {
      for (const steps of await plansOf({ id: 'line-7' }, undefined)) {
        assert.ok(steps.some((step) => /usage_by_id|usage_other_id_idx/.test(step)))
        // Other partitions are empty.
        assert.ok(!steps.some((step) => step.startsWith('Seq Scan on usage_other')))
      }
    })

    test('a value that was frequent long ago is found without looking at the lines since then', async () => {
      const question = { from: TO - MONTH_MS, to: TO + 1, limit: 50 }
      for (const filter of [{ key: 'old key' }, { project: 'old project' }, { endUser: 'old end_user' }]) {
        const { lines, next } = await findRequests(db, { ...question, filter })
        assert.equal(lines.length, 50)
        const page = await findRequests(db, { ...question, filter, after: next })
        assert.ok(page.lines.every(({ at }) => at < lines.at(-1)!.at))
      }
    })

    /** The steps of every question that the store is asked for a page. */
    async function plansOf(filter: LineFilter, after: { at: number; id: string } | undefined): Promise<string[][]> {
      const asked: { sql: string; values: readonly Value[] }[] = []
      const watched: Database = {
        ...db,
        report: (sql, values = []) => {
          asked.push({ sql, values })
          return db.report(sql, values)
        },
      }
      await findRequests(watched, { from: TO - MONTH_MS, to: TO + 1, filter, limit: 50, after })
      return await Promise.all(asked.map((question) => stepsOf(question)))
    }

    async function stepsOf({ sql, values }: { sql: string; values: readonly Value[] }): Promise<string[]> {
      const isSqlite = db.kind === 'sqlite'
      const rows = await db.query<Record<string, string>>(`EXPLAIN ${isSqlite ? 'QUERY PLAN ' : ''}${sql}`, values)
      return rows.map((row) => (isSqlite ? row.detail! : Object.values(row)[0]!.replace(/^[\s>-]+/, '')))
    }
  })

/** The outer question reads what the inner one gives, which SQLite calls a scan of a co-routine. Other tables are small. */
function isSlow(step: string): boolean {
  return /^(?:(?:Parallel )?Seq Scan on usage|Sort |Incremental Sort|Bitmap|USE TEMP B-TREE|SCAN usage USING)/.test(
    step,
  )
}
