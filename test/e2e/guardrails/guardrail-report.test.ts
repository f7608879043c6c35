import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { ledgerLine } from '../../fakes/ledger-line.ts'
import { onBothStores } from '../../fakes/stores.ts'
import type { LedgerLine } from '../../../src/platform/store/ledger/ledger-line.ts'
import { insertUsage } from '../../../src/platform/store/ledger/usage.ts'
import { reportGuardrail } from '../../../src/money/billing/guardrail-report.ts'
import { DAY_MS } from '../../../src/base/units/units.ts'

// What a guardrail did, counted from the lines of the ledger.

const DAY = Date.UTC(2026, 10, 17)
const RANGE = { from: DAY, to: DAY + 2 * DAY_MS }
const OF_ALL = { id: 'pii', appliesTo: { holder: 'all', id: null } } as const
const NONE = { passed: 0, flagged: 0, redacted: 0, blocked: 0, unscanned: 0, would_redact: 0, would_block: 0 }

await onBothStores('reports of guardrails', ({ one }) => {
  const services = { db: one, ledger: { flush: async () => {} } }
  const line = (at: number, parts: Partial<LedgerLine>) => ledgerLine({ id: randomUUID(), at, ...parts })

  beforeEach(async () => {
    await insertUsage(one, [
      line(DAY - 1, { guardrailsPassed: ['pii'] }),
      line(DAY, { guardrailsPassed: ['pii', 'other'] }),
      line(DAY + 1, { guardrails: [['other', 'blocked', 'secrets', 1, 'aws']], guardrailsPassed: ['pii'] }),
      line(DAY + 2, { guardrails: [['other', 'blocked', 'secrets', 1, 'pii']] }),
      line(DAY + 3, {
        guardrails: [
          ['pii', 'would_redact', 'personal_data', 3, 'email', 'phone'],
          ['pii', 'unscanned', 'presidio', 1, 'timeout'],
          ['other', 'flagged', 'secrets', 1],
        ],
      }),
      line(DAY + DAY_MS, { guardrails: [['pii', 'would_redact', 'personal_data', 1, 'email']] }),
      line(DAY + DAY_MS + 1, { guardrails: [['pii', 'would_block', 'secrets', 1, 'aws']], project: 'research' }),
      line(DAY + 2 * DAY_MS, { guardrailsPassed: ['pii'] }),
    ])
  })

  test('calls are counted by day, by what was done and by what was found, and nothing of other guardrails', async () => {
    const report = await reportGuardrail(OF_ALL, RANGE, services)
    assert.deepEqual(report, {
      guardrail: 'pii',
      from: '2026-11-17T00:00:00.000Z',
      to: '2026-11-19T00:00:00.000Z',
      is_complete: true,
      days: [
        { day: '2026-11-17', calls: 3, ...NONE, passed: 2, would_redact: 1, unscanned: 1 },
        { day: '2026-11-18', calls: 2, ...NONE, would_redact: 1, would_block: 1 },
      ],
      found: [
        { check: 'personal_data', outcome: 'would_redact', rule: 'email', calls: 2 },
        { check: 'personal_data', outcome: 'would_redact', rule: 'phone', calls: 1 },
        { check: 'presidio', outcome: 'unscanned', rule: 'timeout', calls: 1 },
        { check: 'secrets', outcome: 'would_block', rule: 'aws', calls: 1 },
      ],
    })
  })

  test('only calls of what the guardrail applies to now are counted', async () => {
    const appliesTo = { holder: 'project', id: 'research' } as const
    const { days } = await reportGuardrail({ id: 'pii', appliesTo }, RANGE, services)
    assert.deepEqual(days, [{ day: '2026-11-18', calls: 1, ...NONE, would_block: 1 }])
  })

  test('the newest lines are looked at, and the report says where they begin', async () => {
    const report = await reportGuardrail(OF_ALL, RANGE, { ...services, maxLines: 2 })
    assert.deepEqual([report.is_complete, report.from], [false, '2026-11-18T00:00:00.000Z'])
    assert.deepEqual(
      report.days.map(({ day, calls }) => [day, calls]),
      [['2026-11-18', 2]],
    )
  })
})
