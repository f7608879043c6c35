import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import type { Database, Statement, Value } from '../database.ts'
import { listDeliveries } from '../deliveries/watched-deliveries.ts'
import { listAllJobs } from '../jobs/watched-jobs.ts'
import { updateKey } from '../keys/update-key.ts'
import { changeProject } from '../projects/change-project.ts'
import { deleteProject } from '../projects/delete-project.ts'
import { deleteSome, hasUnfinishedJobs, nextWithBytes, type Purge } from '../projects/purge-content.ts'

// Deletions and lists of operators find content by the columns of its owner, and read no other rows for it.

const CONTENT = /files|jobs|deliveries|conversations|collections|contents/
const PURGES: Purge[] = [{ project: 'p' }, { project: 'p', endUser: 'e' }, 'deleted people']
const REACHES = [
  { organizations: ['o'], projects: [], own: undefined },
  { organizations: [], projects: ['p'], own: undefined },
]

const ACTIONS: Record<string, (db: Database) => Promise<unknown>> = {
  ...Object.fromEntries(
    PURGES.map((purge) => [
      `removing content of ${JSON.stringify(purge)}`,
      async (db: Database) => {
        for (const table of ['files', 'contents'] as const) await nextWithBytes(db, table, purge, 9)
        await deleteSome(db, purge, 9)
        await hasUnfinishedJobs(db, purge)
      },
    ]),
  ),
  ...Object.fromEntries(
    REACHES.map((reach) => [
      `lists for ${JSON.stringify(reach)}`,
      async (db: Database) => {
        await listAllJobs(db, { limit: 9, reach })
        await listDeliveries(db, { limit: 9, reach })
      },
    ]),
  ),
  'moving a key': (db) => updateKey(db, 'k', { project: 'personal' }),
  'changing who shares': (db) => changeProject(db, 'p', { share: 'key' }),
  'deleting a project': (db) => deleteProject(db, randomUUID(), { force: false }),
}

await onBothStores('by the columns of the owner', ({ one: db }) => {
  for (const [title, act] of Object.entries(ACTIONS))
    test(`${title} reads only the rows that are meant`, async () => {
      const statements: Statement[] = []
      await act(recordedBy(db, statements))
      const plans = await Promise.all(statements.filter(({ sql }) => CONTENT.test(sql)).map(planOf))
      assert.ok(plans.length > 0)
      for (const [index, steps] of plans.entries())
        assert.deepEqual(
          steps.filter((step) => readsAll(step) || (title.startsWith('lists') && sorts(step))),
          [],
          `${statements[index]!.sql}\n${steps.join('\n')}`,
        )
    })

  async function planOf({ sql, values }: Statement): Promise<string[]> {
    const plain = values as Value[] | undefined
    if (db.kind === 'sqlite') {
      const rows = await db.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, plain)
      return rows.map(({ detail }) => detail)
    }
    // A table without rows is read as a whole, unless that is ruled out.
    const [, , plan] = await db.transaction([
      { sql: 'SET LOCAL enable_seqscan = off' },
      { sql: 'SET LOCAL enable_sort = off' },
      { sql: `EXPLAIN ${sql}`, ...(plain && { values: plain }) },
    ])
    return plan!.rows.map((row) => String(row['QUERY PLAN']).trim())
  }
})

/** An index that is walked from its beginning to its end finds nothing by itself. */
function readsAll(step: string): boolean {
  if (/^SCAN (?:files|jobs|deliveries|conversations|collections|contents)\b/.test(step)) return true
  return /Seq Scan on (?:files|jobs|deliveries|conversations|collections|contents)\b/.test(step)
}

/** The newest page of a list has to be found without all that is older. */
function sorts(step: string): boolean {
  return /TEMP B-TREE FOR ORDER BY|^(?:-> *)?(?:Incremental )?Sort\b/.test(step)
}

/** The store, with the statements that it gets noted. */
function recordedBy(db: Database, statements: Statement[]): Database {
  return {
    ...db,
    query: (sql, values) => {
      statements.push({ sql, ...(values && { values }) })
      return db.query(sql, values)
    },
    transaction: (all, options) => {
      statements.push(...all)
      return db.transaction(all, options)
    },
  }
}
