import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { limit, messages, roundsOn, states } from '../../../../test/fakes/alert-rounds.ts'
import { newKey } from '../../../../test/fakes/new-key.ts'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import { ledgerLine } from '../../../../test/fakes/ledger-line.ts'
import { writeAuditEvents } from '../../../tenants/audit/audited.ts'
import { CLI } from '../../../tenants/audit/author.ts'
import type { Limit } from '../../../platform/config/spend-limits/limit.ts'
import { spanAt } from '../../../money/limits/windows.ts'
import { listAudit } from '../../../platform/store/audit/read.ts'
import type { Database } from '../../../platform/store/database.ts'
import { insertKey } from '../../../platform/store/keys/keys.ts'
import { COUNTS_FOREVER, releaseLost, takeLimitLease } from '../../../platform/store/limits/leases.ts'
import { takeRate } from '../../../platform/store/limits/rates.ts'
import { forgiveSpent } from '../../../platform/store/limits/window-sums.ts'
import { insertUsage } from '../../../platform/store/ledger/usage.ts'
import { HOUR_MS } from '../../../base/units/units.ts'

const DOLLAR = 1_000_000_000
const NOON = Date.UTC(2026, 10, 16, 12)

/** A ledger line that settles this much of a limit. */
async function spend(db: Database, { id, window, timezone }: Limit, at: number, amount: number, bucket = '') {
  const { start } = spanAt(window, timezone, at)
  await insertUsage(db, [ledgerLine({ id: randomUUID(), at, charges: [[id, bucket, start, amount, 'p']] })])
}

/** `firing 0.5`, oldest first. */
async function fractions(db: Database): Promise<string[]> {
  return (await messages(db)).map(({ event }) => `${String(event.status)} ${String(event.threshold)}`)
}

await onBothStores('alerts of limits', ({ one: db, other }) => {
  let now = NOON
  let limits: Limit[] = []
  const parts = { now: () => now, limits: () => limits }
  beforeEach(() => {
    now = NOON
  })

  test('each fraction is told once in a window, with names, and ends with the window', async () => {
    const budget = limit({ id: 'daily', appliesTo: 'project:default', timezone: 'Europe/Paris', alerts: [0.5, 0.8, 1] })
    limits = [budget, limit({ id: 'quiet' })]
    const rounds = roundsOn(db, parts)
    await spend(db, budget, now, 4.9 * DOLLAR)
    await rounds.run()
    assert.deepEqual(await fractions(db), [])
    await spend(db, budget, now, 0.2 * DOLLAR)
    for (let look = 0; look < 3; look++) await rounds.run()
    assert.deepEqual(await fractions(db), ['firing 0.5'])
    const { event } = (await messages(db))[0]!
    assert.equal(event.summary, 'The budget daily (project default) has reached 50% of 10 USD.')
    assert.deepEqual([event.project, event.severity, event.value], ['default', 'warning', 0.51])
    assert.deepEqual(event.details, {
      limit_id: 'daily',
      applies_to: 'project default',
      window: 'day',
      unit: 'usd',
      limit: 10,
      spent: 5.1,
      reserved: 0,
      fraction: 0.5,
      resets_at: '2026-11-16T23:00:00.000Z',
    })
    // What processes hold counts too.
    const { start } = spanAt('day', 'Europe/Paris', now)
    const lease = {
      limit: 'daily',
      bucket: '',
      start,
      processName: 'p',
      amount: 10 * DOLLAR,
      processCount: 1,
      countsMs: COUNTS_FOREVER,
    }
    await takeLimitLease(db, { ...lease, need: 4.9 * DOLLAR, want: 4.9 * DOLLAR, forMs: 60_000, leanMs: 60_000 })
    now += 1
    await rounds.run()
    assert.deepEqual((await fractions(db)).sort(), ['firing 0.5', 'firing 0.8', 'firing 1'])
    assert.deepEqual((await messages(db)).map(({ event }) => event.severity).sort(), ['error', 'warning', 'warning'])
    now = Date.parse('2026-11-16T23:00:00.000Z')
    await rounds.run()
    now += 15_000
    await rounds.run()
    const all = await fractions(db)
    assert.deepEqual(all.slice(3).sort(), ['resolved 0.5', 'resolved 0.8', 'resolved 1'])
    await rounds.close()
  })

  test('what was reached while no process looked is told by the next one, even if the window has ended', async () => {
    const budget = limit({ id: 'down', alerts: [0.8] })
    limits = [budget]
    const before = roundsOn(db, parts)
    await before.run()
    await before.close()
    now = NOON + 11 * HOUR_MS
    await spend(db, budget, now, 9 * DOLLAR)
    now = NOON + 14 * HOUR_MS
    await spend(db, budget, now, 8.5 * DOLLAR)
    const after = roundsOn(other, parts)
    await after.run()
    const seen = (await messages(db)).map(({ event }) => event.details)
    assert.deepEqual(seen.map(({ spent }) => spent).sort(), [8.5, 9])
    now += 15_000
    await after.run()
    assert.deepEqual(await fractions(db), ['firing 0.8', 'firing 0.8', 'resolved 0.8'])
    await after.close()
  })

  test('a budget that was reset is told again, and what is held may go up and down', async () => {
    const budget = limit({ id: 'reset', window: 'total', alerts: [0.8] })
    limits = [budget]
    const rounds = roundsOn(db, parts)
    const lease = {
      limit: 'reset',
      bucket: '',
      start: 0,
      processName: 'p',
      amount: 10 * DOLLAR,
      processCount: 1,
      countsMs: COUNTS_FOREVER,
    }
    await takeLimitLease(db, { ...lease, need: 4 * DOLLAR, want: 4 * DOLLAR, forMs: 60_000 })
    await spend(db, budget, now, 5 * DOLLAR)
    await rounds.run()
    assert.deepEqual(await fractions(db), [])
    // Nothing is told about what processes hold and may not need. When others have asked for it, they use what they hold.
    const inUse = { need: 4 * DOLLAR, want: 4 * DOLLAR, forMs: 60_000, leanMs: 60_000 }
    await takeLimitLease(db, { ...lease, processName: 'q', ...inUse })
    await rounds.run()
    await db.query("DELETE FROM limit_leases WHERE limit_id = 'reset'")
    await rounds.run()
    assert.deepEqual(await fractions(db), ['firing 0.8'])
    await forgiveSpent(db, { limit: 'reset', since: 0 })
    now += 1
    await rounds.run()
    assert.deepEqual(await fractions(db), ['firing 0.8', 'resolved 0.8'])
    await spend(db, budget, now, 9 * DOLLAR)
    now += 1
    await rounds.run()
    assert.deepEqual(await fractions(db), ['firing 0.8', 'resolved 0.8', 'firing 0.8'])
    await rounds.close()
  })

  test('keys that are counted apart have alerts of their own; rates flow and have them too', async () => {
    const key = newKey({ name: 'ci' })
    await insertKey(db, key)
    const each = limit({ id: 'each', per: 'key', alerts: [1] })
    const rate = limit({ id: 'rpm', unit: 'requests', limit: 10, window: 'hour', alerts: [0.8] }, 'rate_limit')
    limits = [each, rate]
    await spend(db, each, now, 10 * DOLLAR, key.id)
    await spend(db, each, now, 9 * DOLLAR, 'another')
    const held = { processName: 'p', processCount: 1, forMs: HOUR_MS, countsMs: HOUR_MS, unused: 0 }
    const uses = [{ slot: 1, used: 9, endsAt: Date.now() + HOUR_MS }]
    await takeRate(db, { ...held, limit: 'rpm', bucket: '', amount: 10, need: 0, want: 0, uses })
    const rounds = roundsOn(db, parts)
    await rounds.run()
    const found = await messages(db)
    assert.deepEqual(found.map(({ event }) => [event.rule, event.details.key, event.details.key_name]).sort(), [
      ['budget', key.id, 'ci'],
      ['rate_limit', undefined, undefined],
    ])
    await rounds.close()
  })

  test('a process that died with a part of a budget is in the audit log once, until it is released', async () => {
    limits = [limit({ id: 'lost' }), limit({ id: 'slots', unit: 'concurrent', window: undefined }, 'rate_limit')]
    const { start } = spanAt('day', 'UTC', now)
    const lease = {
      limit: 'lost',
      bucket: '',
      start,
      processName: 'dead',
      amount: 10 * DOLLAR,
      processCount: 1,
      countsMs: COUNTS_FOREVER,
    }
    await takeLimitLease(db, { ...lease, need: 2 * DOLLAR, want: 2 * DOLLAR, forMs: -1 })
    await takeLimitLease(db, {
      ...lease,
      limit: 'slots',
      start: 0,
      amount: 5,
      need: 2,
      want: 2,
      forMs: -1,
      countsMs: 0,
    })
    const rounds = roundsOn(db, parts)
    for (let look = 0; look < 2; look++) await rounds.run()
    const { rows } = await listAudit(db, { limit: 10, action: 'alert.lost_leases' })
    assert.equal(rows.length, 1)
    assert.deepEqual(
      [rows[0]!.actor, JSON.parse(rows[0]!.after!)],
      ['alerts', { amount: 2, kind: 'budget', limit_id: 'lost', process: 'dead', unit: 'usd' }],
    )
    await releaseLost(db, 'lost')
    await rounds.run()
    assert.deepEqual(await states(db), [`lost_leases budget:lost||${start}|dead resolved`])
    await rounds.close()
  })

  test('rows of the audit log that get no checkpoint', async () => {
    limits = []
    await writeAuditEvents(db, CLI, { action: 'key.create', object: 'key:1' })
    now = Date.now() + 1.9 * HOUR_MS
    const rounds = roundsOn(db, parts)
    await rounds.run()
    assert.deepEqual(await states(db), [])
    now += 0.2 * HOUR_MS
    await rounds.run()
    assert.deepEqual(await states(db), ['audit_checkpoints installation open'])
    await rounds.close()
  })
})
