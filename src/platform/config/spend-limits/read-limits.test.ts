import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entryOf, limitOf } from './limit-entry.ts'
import { readLimits } from './read-limits.ts'

const BUDGET = { id: 'research', appliesTo: 'project:research', limit: 50, window: 'month' }

function read(budgets: unknown, rateLimits: unknown = undefined) {
  return readLimits({ budgets, rateLimits })
}

test('reads budgets and rate limits with their defaults', () => {
  const [budget, rate] = read(
    [{ ...BUDGET, timezone: 'Europe/Paris', onExceeded: 'clamp', alerts: [1, 0.5, 0.8, 0.5] }],
    [{ id: 'rpm', appliesTo: 'all', per: 'key', unit: 'requests', limit: 60, window: 'minute' }],
  )
  assert.deepEqual(budget, {
    id: 'research',
    kind: 'budget',
    name: null,
    ownedBy: 'file',
    appliesTo: { holder: 'project', id: 'research' },
    per: null,
    unit: 'usd',
    amount: 50_000_000_000,
    window: 'month',
    idleMs: null,
    maxSessions: null,
    timezone: 'Europe/Paris',
    models: null,
    providers: null,
    endpoints: null,
    tags: null,
    mode: 'enforce',
    onExceeded: 'clamp',
    assume: null,
    increase: null,
    alerts: [0.5, 0.8, 1],
  })
  assert.deepEqual([rate!.onExceeded, rate!.per, rate!.amount], ['refuse', 'key', 60])
})

test('reads back what it writes', () => {
  const entry = {
    ...BUDGET,
    appliesTo: 'all',
    limit: 0.123456789,
    models: ['openai/*'],
    tags: { team: 'search' },
    mode: 'shadow' as const,
    assume: { input: 1, output: 2 },
    window: 'month' as const,
    increase: { amount: 5, until: '2026-12-24T00:00:00.000Z' },
    alerts: [0.5, 1],
  }
  const limit = limitOf(entry, 'budget', 'api')
  assert.ok(!Array.isArray(limit))
  assert.deepEqual(limitOf(entryOf(limit), 'budget', 'api'), limit)
})

test('reads limits per session, which end when the session is idle', () => {
  const entry = { id: 's', appliesTo: 'all', per: 'session' as const, limit: 5, window: 'idle:30m' }
  const [limit] = read([entry])
  assert.deepEqual([limit!.idleMs, limit!.maxSessions], [30 * 60_000, 100])
  const of = (more: object) => limitOf({ ...entry, ...more }, 'budget', 'api')
  assert.deepEqual(of({ window: 'idle:7d', maxSessions: 9 }), {
    ...limit,
    ownedBy: 'api',
    window: 'idle:7d',
    idleMs: 604_800_000,
    maxSessions: 9,
  })
  for (const more of [{ window: 'idle:8d' }, { window: 'day' }, { per: 'key' }, { alerts: [1] }, { per: undefined }])
    assert.ok(Array.isArray(of(more)), JSON.stringify(more))
  const made = of({})
  assert.ok(!Array.isArray(made))
  assert.deepEqual(limitOf(entryOf(made), 'budget', 'api'), made)
})

test('says what is wrong, with its path', () => {
  const cases: [unknown, RegExp][] = [
    [[{ ...BUDGET, appliesTo: 'team:x' }], /budgets\.0\.appliesTo: should be all, or organization:<id>/],
    [[{ ...BUDGET, windw: 'day' }], /budgets\.0\.windw: .*Did you mean window/],
    [[{ ...BUDGET, timezone: 'Europe/Pariss' }], /budgets\.0\.timezone: should be the name of a time zone/],
    [[{ ...BUDGET, unit: 'tokens' }], /budgets\.0\.unit: should be usd/],
    [[{ ...BUDGET, window: undefined }], /budgets\.0\.window/],
    [[{ ...BUDGET, alerts: [0.5, 1.2] }], /budgets\.0\.alerts: should be fractions of the limit/],
    [[BUDGET, BUDGET], /two limits have the id 'research'/],
    [[{ ...BUDGET, increase: { amount: 1, until: 'soon' } }], /until should be a date/],
  ]
  for (const [budgets, message] of cases) assert.throws(() => read(budgets), message)
  const rate = { id: 'r', appliesTo: 'all', unit: 'requests', limit: 1.5, window: 'minute' }
  assert.throws(() => read(undefined, [rate]), /rateLimits\.0\.limit: should be a whole number/)
  assert.throws(() => read(undefined, [{ ...rate, unit: 'usd' }]), /rateLimits\.0\.unit: should not be usd/)
})
