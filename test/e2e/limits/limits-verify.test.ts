import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Retention } from '../../../src/server/retention.ts'
import { migrate } from '../../../src/platform/store/migrations.ts'
import type { Charge } from '../../../src/platform/store/limits/charges.ts'
import { insertUsage } from '../../../src/platform/store/ledger/usage.ts'
import { eventLog } from '../../fakes/event-log.ts'
import { storeKinds } from '../../fakes/stores.ts'
import { ledgerLine } from '../../fakes/ledger-line.ts'
import { runHere, temporaryFolder } from '../../gateway/gateway-process.ts'
import { openDatabase } from '../../../src/platform/store/open-database.ts'
import { DAY_MS } from '../../../src/base/units/units.ts'

// `gatehouse ledger verify` compares what is spent of limits with the ledger.

const DAYS = { ledgerRetentionDays: 30, jobRetentionDays: 7, deliveryRetentionDays: 7, responseRetentionDays: 7 }

for (const { name, skip, newStore } of await storeKinds())
  describe(`ledger verify on ${name}`, { skip }, async () => {
    if (skip) return
    const folder = await temporaryFolder()
    const store = name === 'SQLite' ? undefined : await newStore()
    const databaseUrl = store?.databaseUrl
    const db = await openDatabase({ dataDir: folder.path, databaseUrl })
    await migrate(db)
    after(async () => {
      await db.close()
      await store?.remove()
      await folder.remove()
    })
    const verify = () =>
      runHere(['ledger', 'verify'], { DATA_DIR: folder.path, ...(databaseUrl && { DATABASE_URL: databaseUrl }) })
    const now = Date.now()
    const line = (id: string, at: number, ...charges: Charge[]) => ledgerLine({ id, at, charges })

    test('finds every window equal to its lines, and then the row that was changed by hand', async () => {
      await insertUsage(db, [
        line('old', now - 40 * DAY_MS, ['total', '', 0, 70, 'p'], ['month', '', now - 41 * DAY_MS, 70, 'p']),
        line('new', now - DAY_MS, ['total', '', 0, 30, 'p'], ['month', '', now - 2 * DAY_MS, 30, 'p']),
      ])
      const whole = await verify()
      assert.equal(whole.code, 0)
      assert.equal(whole.stdout, '3 windows of limits, 0 differ from the ledger.\n')
      await db.query("UPDATE limit_windows SET spent = 99 WHERE limit_id = 'total'")
      const changed = await verify()
      assert.equal(changed.code, 1)
      assert.match(
        changed.stdout,
        /^total · .*: 99 is spent, but the ledger lines add up to 100\n3 windows of limits, 1 differ/,
      )
      await db.query("UPDATE limit_windows SET spent = 100 WHERE limit_id = 'total'")
    })

    test('after retention, windows that began before it have lost lines, and all others are still proven', async () => {
      await new Retention({ db, log: eventLog(), leaseHolder: 'test', now: Date.now, config: () => DAYS }).run()
      const kept = await verify()
      assert.equal(kept.code, 0, kept.stdout)
      assert.match(kept.stdout, /^3 windows of limits, 0 differ from the ledger\.\n2 of them began before/)
      await db.query('UPDATE limit_windows SET spent = 29 WHERE window_start = $1', [now - 2 * DAY_MS])
      assert.equal((await verify()).code, 1)
      await db.query('UPDATE limit_windows SET spent = 30 WHERE window_start = $1', [now - 2 * DAY_MS])
      // Less than the lines that are left is wrong in any window.
      await db.query("UPDATE limit_windows SET spent = 29 WHERE limit_id = 'total'")
      assert.match((await verify()).stdout, /total · .*29 is spent, but the ledger lines add up to 30/)
    })
  })
