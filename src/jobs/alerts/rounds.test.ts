import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import {
  alertNeeds,
  messages,
  NO_SETTINGS,
  receiverOf,
  roundsOn,
  states,
  told,
} from '../../../test/fakes/alert-rounds.ts'
import { newDelivery, submitMany } from '../../../test/fakes/new-job.ts'
import { newKey } from '../../../test/fakes/new-key.ts'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { ledgerLine } from '../../../test/fakes/ledger-line.ts'
import type { ListedCircuit } from '../../calls/attempts/listed-circuit.ts'
import { insertAlert, listAlerts } from '../../platform/store/alerts/alerts.ts'
import { guardrailOf } from '../../platform/config/guardrails/guardrail-entry.ts'
import type { Database } from '../../platform/store/database.ts'
import { insertMessage } from '../../platform/store/deliveries/deliveries.ts'
import { insertKey } from '../../platform/store/keys/keys.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import { insertUsage } from '../../platform/store/ledger/usage.ts'
import { openAlertRounds } from './rounds.ts'
import { MINUTE_MS, DAY_MS } from '../../base/units/units.ts'

const OPEN_CIRCUIT: ListedCircuit = {
  name: 'openai/gpt-4o #0',
  state: 'open',
  forEveryone: 'open',
  openOwners: 2,
  failures: 5,
  because: 'server_error',
  retryInMs: 1,
  learnedFrom: undefined,
}

/** Calls of this moment: so many, of which so many failed. */
async function calls(db: Database, at: number, all: number, failed: number, parts: object = {}) {
  const rows = Array.from({ length: all }, (_, index) =>
    ledgerLine({ id: randomUUID(), at, ...(index < failed && { status: 502, code: 'upstream_error' }), ...parts }),
  )
  await insertUsage(db, rows)
}

function guardrail(id: string, parts: object = {}) {
  const checks = [{ check: 'external', url: 'http://127.0.0.1:9/check' }]
  const found = guardrailOf({ id, applies_to: 'all', action: 'block', on_error: 'open', checks, ...parts }, 'api', [])
  if (Array.isArray(found)) throw new Error(JSON.stringify(found))
  return found
}

const OF_A_PROJECT = "UPDATE deliveries SET owner_kind = 'project', organization = 'default', project = 'default'"

await onBothStores('rounds of alerts', ({ one, other }) => {
  let now = 0
  const clock = { now: () => now }
  beforeEach(() => {
    now = Date.UTC(2026, 10, 16, 12)
  })

  test('an error rate that lasts is told once, and its end is told once, whichever process looks', async () => {
    const [first, second] = [roundsOn(one, clock), roundsOn(other, clock)]
    const look = async (minutes: number) => {
      now += minutes * MINUTE_MS
      await Promise.all([first.run(), second.run()])
    }
    await calls(one, now, 40, 4)
    await look(0)
    assert.deepEqual(await told(one), [], 'it has to last')
    await look(2)
    assert.deepEqual(await told(one), ['firing error_rate receiver:ops'])
    const { event } = (await messages(one))[0]!
    assert.equal(event.summary, '10% of 40 calls failed in the last 5 minutes.')
    assert.deepEqual([event.value, event.threshold, event.details], [0.1, 0.1, { calls: 40, failed: 4 }])
    // A restart, or another process that takes over, tells nothing again.
    await Promise.all([first.close(), second.close()])
    for (const db of [other, one]) {
      const next = roundsOn(db, clock)
      await next.run()
      await next.close()
    }
    assert.equal((await told(one)).length, 1)
    await look(4)
    await look(4)
    assert.equal((await told(one)).length, 1, 'it has to be over for a while')
    await look(5)
    await look(5)
    assert.deepEqual(await told(one), ['firing error_rate receiver:ops', 'resolved error_rate receiver:ops'])
    assert.deepEqual(await states(one), ['error_rate installation resolved'])
  })

  test('an error rate that comes and goes is not told; few calls, the sandbox and callers do not count', async () => {
    const rounds = roundsOn(one, clock)
    await calls(one, now, 19, 19)
    await calls(one, now, 100, 100, { provider: 'sandbox' })
    for (let minute = 0; minute < 4; minute++) {
      await rounds.run()
      now += MINUTE_MS
      await calls(one, now, 100, 100, { status: 400, code: 'bad_request' })
    }
    assert.deepEqual((await listAlerts(one, { limit: 9, state: 'pending' })).items, [])
    await calls(one, now, 200, 100)
    await rounds.run()
    assert.equal((await listAlerts(one, { limit: 9, state: 'pending' })).items.length, 1)
    now += MINUTE_MS
    await calls(one, now, 2_000, 0)
    await rounds.run()
    now += MINUTE_MS
    await rounds.run()
    assert.deepEqual(await states(one), [])
    await rounds.close()
  })

  test('of processes that write at the same moment, one opens the alert', async () => {
    const alert = { rule: 'failed_jobs', subject: 'installation', state: 'open', severity: 'warning' } as const
    const more = { summary: '', details: '{}', project: null, value: 1, threshold: 1, since: 1, createdAt: 1 }
    const results = await Promise.all(
      [one, other, one, other].map((db) => db.transaction([insertAlert({ ...alert, ...more, id: randomUUID() })])),
    )
    assert.equal(results.filter(([inserted]) => inserted!.changes > 0).length, 1)
  })

  test('receivers get the rules that they ask for; a rule that is switched off ends its alerts', async () => {
    const settings = {
      receivers: [
        receiverOf(),
        receiverOf({ name: 'money', rules: ['budget'] }),
        receiverOf({ name: 'all', format: 'slack' }),
      ],
      rules: { provider_down: { for: 0, on: true } },
    }
    const open = (parts: object): ListedCircuit => ({ ...OPEN_CIRCUIT, ...parts })
    const circuits = () => [
      open({}),
      open({ name: 'openai/gpt-4o #1' }),
      open({ name: 'openai/o3/x #0', because: 'dns' }),
      open({ name: 'groq/a #0', because: 'rate_limited' }),
      open({ name: 'mistral/a #0', state: 'half-open' }),
    ]
    const rounds = roundsOn(one, { ...clock, circuits, settings: () => settings })
    await rounds.run()
    const firing = ['firing provider_down receiver:all', 'firing provider_down receiver:ops']
    assert.deepEqual(await told(one), firing)
    const { summary, subject } = (await messages(one))[0]!.event
    assert.equal(summary, 'The provider openai fails: server_error, dns (openai/gpt-4o, openai/o3/x).')
    assert.equal(subject, 'provider:openai')
    settings.rules.provider_down.on = false
    now += 1
    await rounds.run()
    assert.deepEqual(await told(one), [...firing, ...firing.map((line) => line.replace('firing', 'resolved'))])
    const text = JSON.stringify(await one.query('SELECT * FROM deliveries')) + JSON.stringify(await messages(one))
    assert.ok(!text.includes('secret-path'), 'the address of a receiver is not in the store')
    await rounds.close()
  })

  test('keys that expire, and ledger lines that wait', async () => {
    const soon = now + 3 * DAY_MS
    const month = now - 30 * DAY_MS
    const key = newKey({ name: 'ci', project: 'default', expiresAt: soon })
    for (const one_ of [key, newKey({ expiresAt: soon + 30 * DAY_MS }), newKey({ name: 'short', expiresAt: soon })])
      await insertKey(one, one_)
    await one.query(
      'UPDATE keys SET created_at = CASE WHEN name = $2 THEN CAST($3 AS BIGINT) ELSE CAST($1 AS BIGINT) END',
      [month, 'short', now - 1],
    )
    await one.query(`INSERT INTO processes (id, number, role, blobs, webhook_key, beats, learned_number, learned, ledger_waiting)
      VALUES ('p1', 1, 'all', '', '', 1, 0, '', 12000), ('p2', 2, 'all', '', '', 1, 0, '', 11)`)
    const rounds = roundsOn(one, {
      ...clock,
      settings: () => ({ ...NO_SETTINGS, rules: { ledger_backlog: { for: 0 } } }),
    })
    await rounds.run()
    assert.deepEqual((await states(one)).sort(), [`expiring_keys key:${key.id} open`, 'ledger_backlog process:p1 open'])
    const { items } = await listAlerts(one, { limit: 9, rule: 'expiring_keys' })
    assert.match(items[0]!.summary, /^The key "ci" of the project default expires at 2026-11-19T12:00:00\.000Z\.$/)
    assert.deepEqual([items[0]!.project, items[0]!.value], ['default', 3])
    // The key gets more time, and the process is gone.
    await one.query('UPDATE keys SET expires_at = NULL WHERE id = $1', [key.id])
    await one.query('DELETE FROM processes')
    await rounds.run()
    now += 6 * MINUTE_MS
    await rounds.run()
    assert.deepEqual(
      (await states(one)).map((line) => line.split(' ').at(-1)),
      ['resolved', 'resolved'],
    )
    await rounds.close()
  })

  test('jobs that fail and webhooks that are given up; the messages of alerts themselves do not count', async () => {
    const rounds = roundsOn(one, clock)
    const look = async (failed: number) => {
      await one.query('DELETE FROM jobs')
      await one.query('DELETE FROM deliveries')
      await submitMany(one, failed + 1, {})
      await one.query("UPDATE jobs SET state = 'fail', finished_at = $1", [now])
      await one.query("UPDATE jobs SET state = 'success' WHERE id = (SELECT MIN(id) FROM jobs)")
      for (let index = 0; index < failed; index++) {
        const isOfJob = index < failed / 2
        await one.transaction(insertMessage(newDelivery({ url: 'receiver:ops' })))
        if (isOfJob)
          await one.query(`${OF_A_PROJECT} WHERE id = (SELECT MAX(id) FROM deliveries WHERE project IS NULL)`)
      }
      await one.query("UPDATE deliveries SET state = 'failed', settled_at = $1", [now])
      await rounds.run()
      return (await listAlerts(one, { limit: 9, state: 'open' })).items
        .map(({ rule, value }) => `${rule} ${value}`)
        .sort()
    }
    assert.deepEqual(await look(9), ['failed_deliveries 5'])
    assert.deepEqual(await look(10), ['failed_deliveries 5', 'failed_jobs 10'])
    assert.deepEqual(await look(8), ['failed_deliveries 5', 'failed_jobs 10'], 'nearly as many as before')
    now += 10 * MINUTE_MS
    assert.deepEqual(await look(3), ['failed_deliveries 5', 'failed_jobs 10'], 'not for long enough')
    now += 5 * MINUTE_MS
    assert.deepEqual(await look(0), [])
    await rounds.close()
  })

  test('a guardrail that enforces and lets calls pass unchecked, and one whose credentials are wrong', async () => {
    const failed = (id: string, reason: string, parts: Partial<LedgerLine> = {}) =>
      ledgerLine({ id: randomUUID(), at: now, guardrails: [[id, 'unscanned', 'external', 1, reason]], ...parts })
    const refused = { status: 503, code: 'guardrail_failed' }
    await insertUsage(one, [
      ...[failed('open', 'timeout'), failed('open', 'failed')],
      // These are no reason: refused calls, a guardrail that only flags, one in shadow mode, files, one that is gone, and old lines.
      ...[failed('closed', 'timeout', refused), failed('flagging', 'timeout'), failed('shadow', 'timeout')],
      failed('open', 'timeout', { at: now - 6 * MINUTE_MS }),
      ledgerLine({ id: randomUUID(), at: now, guardrails: [['closed', 'unscanned', null, 1, 'file']] }),
      failed('gone', 'credentials', refused),
      ...[failed('closed', 'credentials', refused), failed('shadow', 'credentials')],
    ])
    const guardrails = () => [
      ...[guardrail('open'), guardrail('closed', { name: 'Words', applies_to: 'project:research' })],
      ...[guardrail('flagging', { action: 'flag' }), guardrail('shadow', { mode: 'shadow' })],
    ]
    const rounds = roundsOn(one, { ...clock, guardrails })
    await rounds.run()
    const open = (await listAlerts(one, { limit: 9 })).items.map(({ rule, subject, project, summary }) => {
      return [rule, subject, project, summary]
    })
    assert.deepEqual(open.sort(), [
      [
        ...['guardrail_credentials', 'guardrail:closed', 'research'],
        'The credentials of the guardrail Words are wrong (external): 1 call could not be checked in the last 5 minutes.',
      ],
      [
        ...['guardrail_credentials', 'guardrail:shadow', null],
        'The credentials of the guardrail shadow are wrong (external): 1 call could not be checked in the last 5 minutes.',
      ],
      [
        ...['guardrail_open', 'guardrail:open', null],
        '2 calls passed the guardrail open in the last 5 minutes although external could not check them (failed, timeout).',
      ],
    ])
    for (const _ of ['it is over', 'for five minutes']) {
      now += 6 * MINUTE_MS
      await rounds.run()
    }
    assert.ok((await states(one)).every((state) => state.endsWith('resolved')))
    await rounds.close()
  })

  test('an alert that cannot be written does not hold up others', async () => {
    let isBroken = true
    const sign = async (body: Uint8Array) => {
      if (isBroken && Buffer.from(body).includes('provider:bad')) throw new Error('cannot be signed')
      return 'signature'
    }
    const circuits = () => ['bad', 'good'].map((name) => ({ ...OPEN_CIRCUIT, name: `${name}/model #0` }))
    const settings = () => ({ receivers: [receiverOf()], rules: { provider_down: { for: 0 } } })
    const rounds = roundsOn(one, { ...clock, circuits, settings, signer: () => ({ keyId: 'key', sign }) })
    await rounds.run()
    assert.deepEqual(await states(one), ['provider_down provider:good open'])
    isBroken = false
    now += 1
    await rounds.run()
    assert.deepEqual(await states(one), ['provider_down provider:good open', 'provider_down provider:bad open'])
    await rounds.close()
  })

  test('a rule that cannot be looked at leaves its alerts as they are, and the others go on', async () => {
    let isBroken = false
    const circuits = () => {
      if (isBroken) throw new Error('broken')
      return [] as ListedCircuit[]
    }
    const open = { rule: 'provider_down', subject: 'provider:x', state: 'open', severity: 'error' } as const
    const more = { summary: '', details: '{}', project: null, value: 1, threshold: 1, since: 1, createdAt: 1 }
    await one.transaction([insertAlert({ ...open, ...more, id: 'x' })])
    const rounds = roundsOn(one, { ...clock, circuits })
    isBroken = true
    await rounds.run()
    now += 60 * MINUTE_MS
    await rounds.run()
    assert.deepEqual(await states(one), ['provider_down provider:x open'])
    isBroken = false
    await rounds.run()
    now += 6 * MINUTE_MS
    await rounds.run()
    assert.deepEqual(await states(one), ['provider_down provider:x resolved'])
    await rounds.close()
  })

  const soon = { timeout: MINUTE_MS }
  test('a process looks soon after its start, not after a whole round: the last one may have died', soon, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const looked = Promise.withResolvers<void>()
    const settings = () => {
      looked.resolve()
      return NO_SETTINGS
    }
    const rounds = openAlertRounds(alertNeeds(one, { ...clock, settings }))
    t.mock.timers.tick(5_000)
    await looked.promise
    await rounds.close()
  })
})
