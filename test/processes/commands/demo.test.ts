import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { isFailureKind } from '../../../src/calls/attempts/failures.ts'
import { verifyAudit } from '../../../src/tenants/audit/verify.ts'
import { loadCatalog } from '../../../src/platform/catalog/catalog.ts'
import { loadConfig } from '../../../src/platform/config/config.ts'
import { fillDemo } from '../../../src/cli/demo/fill.ts'
import { DEMO_PASSWORD, PEOPLE } from '../../../src/cli/demo/people.ts'
import type { Database } from '../../../src/platform/store/database.ts'
import { readStoredGuardrails } from '../../../src/platform/store/guardrails/stored-guardrails.ts'
import { readGuardrailRuns } from '../../../src/platform/store/ledger/guardrail-runs.ts'
import { readDetail } from '../../../src/platform/store/ledger/request-detail.ts'
import { chargedWindows } from '../../../src/platform/store/limits/window-sums.ts'
import { migrate } from '../../../src/platform/store/migrations.ts'
import { openSigner } from '../../../src/jobs/webhooks/signature.ts'
import { sharedPrivateKey } from '../../fakes/signing-key.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { NO_CONFIG, runHere, temporaryFolder } from '../../gateway/gateway-process.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'
import { signedIn } from '../../gateway/people-under-test.ts'

// `gatehouse demo`: what it writes is as whole as what really happened.

const DAYS = 3
const NOW = Date.UTC(2026, 10, 12, 15)

for (const { name, skip, newStore } of await storeKinds()) {
  describe(`a demo on ${name}`, { skip }, () => {
    let db: Database
    const closing = new AsyncDisposableStack()
    before(async () => {
      const store = await newStore()
      closing.defer(() => store.remove())
      db = await store.open()
      closing.defer(() => db.close())
      await migrate(db)
      await fill(db)
    })
    after(() => closing.disposeAsync())

    test('what is spent of its limits is the sum of its lines, and its audit log is whole and in the order of time', async () => {
      const windows = await chargedWindows(db, 0)
      assert.ok(windows.length > 10)
      for (const { limit, spent, charged } of windows) assert.equal(spent, charged, limit)
      const { rows, faults } = await verifyAudit(db, () => true)
      assert.ok(rows > 40)
      assert.deepEqual(faults, [])
      const moments = (await db.query<{ at: number }>('SELECT at FROM audit ORDER BY seq')).map(({ at }) => at)
      assert.deepEqual(
        moments,
        moments.toSorted((one, other) => one - other),
      )
    })

    test('its calls have prices of the catalog, fallbacks, errors of the table, tags and end users', async () => {
      const lines = await db.query<{ status: number; attempts: number; detail: string | null; cost: number | null }>(
        'SELECT status, attempts, detail, cost_nanos AS cost, tags, end_user FROM usage',
      )
      const outcomes = new Set(lines.flatMap(({ detail }) => (readDetail(detail).a ?? []).map(([, , , word]) => word)))
      for (const word of outcomes) assert.ok(['answered', 'abandoned'].includes(word) || isFailureKind(word), word)
      assert.ok(lines.some(({ attempts, status }) => attempts > 1 && status === 200))
      assert.ok(lines.some(({ status }) => status >= 500))
      assert.ok(lines.filter(({ cost }) => cost === null).length === 0)
      assert.ok(lines.length > 500)
    })

    test('its jobs and webhooks are in all states, with every attempt', async () => {
      assert.deepEqual(await distinct('SELECT DISTINCT state AS value FROM jobs'), [
        'fail',
        'queued',
        'running',
        'success',
      ])
      assert.deepEqual(await distinct('SELECT DISTINCT state AS value FROM deliveries'), [
        'delivered',
        'failed',
        'pending',
      ])
      const [counted] = await db.query<{ attempts: number; kept: number }>(
        'SELECT CAST(SUM(attempts) AS BIGINT) AS attempts, (SELECT COUNT(*) FROM delivery_attempts) AS kept FROM deliveries',
      )
      assert.equal(counted!.attempts, counted!.kept)
    })

    test('alerts of its time are there, and some are taken on', async () => {
      assert.deepEqual(await distinct('SELECT DISTINCT state AS value FROM alerts'), ['open'])
      const [taken] = await db.query<{ count: number }>(
        'SELECT COUNT(*) AS count FROM alerts WHERE acknowledged_by IS NOT NULL',
      )
      assert.ok(taken!.count > 0)
    })

    test('calls have what its guardrails did, and its batches the calls of their lines at the price of batches', async () => {
      const told = await db.query<{ guardrails: string }>('SELECT guardrails FROM usage WHERE guardrails IS NOT NULL')
      const runs = told.flatMap(({ guardrails }) => readGuardrailRuns(guardrails))
      const known = new Set((await readStoredGuardrails(db, 10)).map(({ id }) => id))
      assert.ok(runs.length > 10 && runs.every(([guardrail]) => known.has(guardrail)))
      assert.deepEqual([...new Set(runs.map(([, outcome]) => outcome))].sort(), ['blocked', 'redacted', 'would_block'])
      const batches = await db.query<{ ended: number; lines: number; free: number }>(
        `SELECT succeeded + errored AS ended, (SELECT COUNT(*) FROM usage WHERE batch_id = batches.id AND tier = 'batch') AS lines,
          (SELECT COUNT(*) FROM usage WHERE batch_id = batches.id AND status = 200 AND cost_nanos = 0) AS free
          FROM batches WHERE state IN ('completed', 'cancelled')`,
      )
      assert.ok(batches.length > 0)
      for (const { ended, lines, free } of batches) assert.deepEqual([lines, free], [ended, 0])
    })

    test('a key that has calls or jobs was used', async () => {
      const sql = `SELECT name FROM keys WHERE last_used_at IS NULL
        AND (id IN (SELECT key_id FROM usage) OR id IN (SELECT key_id FROM jobs))`
      assert.deepEqual(await db.query(sql), [])
    })

    async function distinct(sql: string): Promise<string[]> {
      return (await db.query<{ value: string }>(sql)).map(({ value }) => value).sort()
    }
  })
}

test('a second demo of the same moment has the same calls', async () => {
  const [one, other] = [await lineIds(), await lineIds()]
  assert.deepEqual(one, other)
})

test('the command fills an empty folder, which can be served and verified, and refuses one that is not empty', async (t) => {
  const folder = await temporaryFolder()
  t.after(() => folder.remove())
  const environment = { DATA_DIR: join(folder.path, 'demo') }
  const made = await runHere(['demo', '--days', '2'], environment)
  assert.equal(made.code, 0, made.stderr)
  assert.match(made.stdout, /\d{2,} calls\n/)
  assert.ok(made.stderr.includes(DEMO_PASSWORD) && made.stderr.includes('/sign-in'))
  for (const command of ['ledger', 'audit']) assert.equal((await runHere([command, 'verify'], environment)).code, 0)
  const again = await runHere(['demo'], environment)
  assert.deepEqual([again.code, /is not empty/.test(again.stderr)], [1, true])
  const gateway = await startGateway({ dataDir: environment.DATA_DIR, env: { GATEHOUSE_CONFIG: NO_CONFIG } })
  try {
    const owner = await signedIn(gateway, PEOPLE[0]!.email, DEMO_PASSWORD)
    const { body } = await owner('GET', '/admin/requests?limit=5')
    assert.equal(body.items.length, 5)
  } finally {
    await gateway.close()
  }
})

test('a number of days that makes no sense is refused', async () => {
  for (const days of ['0', 'x', '400']) {
    const { code, stderr } = await runHere(['demo', '--days', days], { DATA_DIR: '/nonexistent' })
    assert.deepEqual([code, /--days/.test(stderr)], [1, true], days)
  }
})

async function lineIds(): Promise<unknown[]> {
  const [kind] = await storeKinds()
  const store = await kind!.newStore()
  const db = await store.open()
  await migrate(db)
  await fill(db, 1)
  const rows = await db.query('SELECT id, at, model, status, cost_nanos FROM usage ORDER BY at, id')
  await db.close()
  await store.remove()
  return rows
}

function fill(db: Database, days = DAYS) {
  const config = loadConfig({ GATEHOUSE_CONFIG: NO_CONFIG })
  const signer = openSigner(sharedPrivateKey())
  const catalog = loadCatalog(config.providers)
  return fillDemo({ db, config, catalog, signer, days, now: NOW, progress: { step: () => {}, at: checkShare } })
}

function checkShare(done: number, total: number): void {
  assert.ok(done >= 0 && done < total, `${done} of ${total}`)
}
