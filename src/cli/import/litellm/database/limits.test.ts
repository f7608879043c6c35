import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { windowOf } from './durations.ts'
import { allLimits, type HolderRows } from './limit-holders.ts'
import { type LimitRemark, limitsOf } from './limits.ts'

const NOW = Date.UTC(2026, 10, 16)
const remarks: LimitRemark[] = []
const CONTEXT = {
  now: NOW,
  timezone: 'UTC',
  modelsOf: (name: string) => (name === 'fast' ? ['openai/gpt-4o-mini', 'groq/llama'] : undefined),
  remark: (about: LimitRemark) => remarks.push(about),
}
const HOLDER = { appliesTo: 'key:k', kind: 'key', source: 'token' }

function shortly(row: object, context = CONTEXT) {
  return limitsOf({ ...row }, HOLDER, context).map(({ kind, entry, spent }) => {
    const { id, unit, limit, window } = entry
    return [kind, id.replace(/^litellm-key-[0-9a-f]{10}-/, ''), unit, limit, window, spent['']]
  })
}

describe('limits of LiteLLM', () => {
  test('a duration is a window of the calendar, or the most similar one with the same amount for the same time', () => {
    const exact = {
      '1d': 'day',
      '24h': 'day',
      '7d': 'week',
      '1w': 'week',
      '30d': 'month',
      '1mo': 'month',
      '31d': 'month',
    }
    for (const [text, window] of Object.entries({ ...exact, '1h': 'hour', '60s': 'minute', monthly: 'month' }))
      assert.deepEqual(windowOf(text), { window, factor: 1 }, text)
    assert.deepEqual(windowOf(null), { window: 'total', factor: 1 })
    assert.deepEqual(windowOf('14d'), { window: 'week', factor: 0.5 })
    assert.deepEqual(windowOf('12h'), { window: 'day', factor: 2 })
    assert.deepEqual(windowOf('2mo'), { window: 'month', factor: 0.5 })
    for (const unread of ['soon', '0d', '5 apples']) assert.deepEqual(windowOf(unread), { window: 'day', factor: 1 })
  })

  test('a budget begins with what its window has spent, unless that window is over', () => {
    const row = { max_budget: 50, spend: 40, budget_duration: '30d', models: ['fast'] }
    assert.deepEqual(shortly(row), [['budget', 'budget', 'usd', 50, 'month', 40]])
    assert.deepEqual(limitsOf(row, HOLDER, CONTEXT)[0]!.entry.models, undefined)
    assert.deepEqual(shortly({ ...row, budget_reset_at: '2026-11-16T00:00:00' })[0]!.at(-1), 0)
    assert.deepEqual(shortly({ ...row, budget_reset_at: '2026-12-01T00:00:00' })[0]!.at(-1), 40)
    remarks.length = 0
    assert.deepEqual(shortly({ ...row, budget_duration: '14d' })[0]!.slice(3), [25, 'week', 20])
    assert.deepEqual(remarks, ['other window'])
    for (const none of [0, -1, null, 'x']) assert.deepEqual(shortly({ max_budget: none }), [])
  })

  test('rates, parallel calls, further windows and limits by model are limits of their own', () => {
    const row = { rpm_limit: 60, tpm_limit: '1000', tpd_limit: 5_000, max_parallel_requests: 3.5 }
    assert.deepEqual(shortly(row), [
      ['rate_limit', 'rpm', 'requests', 60, 'minute', undefined],
      ['rate_limit', 'tpm', 'tokens', 1_000, 'minute', undefined],
      ['rate_limit', 'tpd', 'tokens', 5_000, 'day', undefined],
      ['rate_limit', 'parallel', 'concurrent', 3, undefined, undefined],
    ])
    const further = { max_budget: 9, spend: 5, budget_limits: [{ max_budget: 1, budget_duration: '1d' }] }
    assert.deepEqual(shortly(further)[1], ['budget', 'budget-2', 'usd', 1, 'day', undefined])
    remarks.length = 0
    const byModel = {
      model_max_budget: { fast: { budget_limit: 5, time_period: '1d', rpm_limit: 7 }, unknown: { max_budget: 1 } },
      metadata: { model_tpm_limit: { fast: 800 } },
    }
    const limits = limitsOf(byModel, HOLDER, CONTEXT)
    assert.deepEqual(
      limits.map(({ entry: { unit, limit, models } }) => [unit, limit, models?.length]),
      [
        ['usd', 5, 2],
        ['requests', 7, 2],
        ['tokens', 800, 2],
      ],
    )
    assert.deepEqual(remarks, ['unknown model'])
    assert.equal(new Set(limits.map(({ entry }) => entry.id)).size, 3)
  })

  test('a soft budget is an alert at its fraction of the budget', () => {
    const alertsOf = (row: object) => limitsOf({ ...row }, HOLDER, CONTEXT)[0]?.entry.alerts
    assert.deepEqual(alertsOf({ max_budget: 50, soft_budget: 40 }), [0.8])
    assert.deepEqual(alertsOf({ max_budget: 50, soft_budget: 60 }), undefined)
    assert.deepEqual(alertsOf({ soft_budget: 40 }), undefined)
  })

  test('a temporary increase lasts until its end, and what cannot be a limit is left out with a remark', () => {
    const row = { max_budget: 1, metadata: { temp_budget_increase: 4, temp_budget_expiry: '2026-12-01T00:00:00' } }
    const increaseOf = (source: object) => limitsOf({ ...source }, HOLDER, CONTEXT)[0]!.entry.increase
    assert.deepEqual(increaseOf(row), { amount: 4, until: '2026-12-01T00:00:00.000Z' })
    assert.equal(increaseOf({ ...row, metadata: { ...row.metadata, temp_budget_expiry: '2026-11-01' } }), undefined)
    remarks.length = 0
    assert.deepEqual(shortly({ max_budget: 1e9 }), [])
    assert.deepEqual(remarks, ['not possible'])
  })

  test('everybody who has limits gets them, also from a shared budget, and a blocked end user may spend nothing', () => {
    const rows: HolderRows = {
      keys: new Map([['key-1', { token: 't', budget_id: 'tier', spend: 2 }]]),
      teams: [{ team_id: 'a', max_budget: 10, metadata: { team_member_budget_id: 'each' } }, { team_id: 'left out' }],
      users: [{ user_id: 'mia', rpm_limit: 5 }],
      organizationRows: [{ organization_id: 'o', budget_id: 'tier', max_budget: 7 }],
      endUsers: [
        { user_id: 'bob', blocked: true },
        { user_id: 'eve', budget_id: 'tier' },
      ],
      budgets: [
        { budget_id: 'tier', max_budget: 3, budget_duration: '1d', rpm_limit: 1 },
        { budget_id: 'each', max_budget: 4, budget_duration: '7d' },
      ],
      teamMembers: [
        { team_id: 'a', user_id: 'mia', spend: 1.5 },
        { team_id: 'a', user_id: 'stranger', spend: 9 },
      ],
      projects: new Map([['a', { id: 'a-1' }]]),
      organizations: new Map([['o', { id: 'o-1' }]]),
      people: new Map([['mia', { id: 'user-1' }]]),
    }
    const found = allLimits(rows, CONTEXT).map(({ entry: { appliesTo, per, unit, limit, window }, spent }) =>
      [appliesTo, per, unit === 'usd' ? '$' : unit, limit, window, JSON.stringify(spent)].filter(Boolean).join(' '),
    )
    assert.deepEqual(found, [
      'organization:o-1 $ 7 day {"":0}',
      'organization:o-1 requests 1 minute {}',
      'project:a-1 $ 10 total {"":0}',
      'user:user-1 requests 5 minute {}',
      'key:key-1 $ 3 day {"":2}',
      'key:key-1 requests 1 minute {}',
      'end_user:bob $ total {}',
      'end_user:eve $ 3 day {"":0}',
      'end_user:eve requests 1 minute {}',
      'project:a-1 user $ 4 week {"user-1":1.5}',
    ])
  })
})
