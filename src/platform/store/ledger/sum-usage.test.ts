import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import { ledgerLine } from '../../../../test/fakes/ledger-line.ts'
import { sample } from '../../../../test/soak/sample.ts'
import type { Database } from '../database.ts'
import { insertUsage } from './usage.ts'
import type { LedgerLine } from './ledger-line.ts'
import { expireLines, expiryOf } from './expire-lines.ts'
import { LATENCY_BOUNDS_MS } from './latency-histogram.ts'
import { toNanos } from './money.ts'
import { rollUpAll, rollUpSlice } from './roll-up-batches.ts'
import { sumUsage, type UsageSum } from './sum-usage.ts'
import type { UsageGroup } from './usage-group.ts'
import { MINUTE_MS, DAY_MS, HOUR_MS } from '../../../base/units/units.ts'

// Reports are made of roll-ups and of lines. They have to be what one gets by adding up the lines.

const ODD_TAG = 'tag:odd "name'
const GROUPS: Record<Exclude<UsageGroup, `tag:${string}`> | 'tag:team' | typeof ODD_TAG, (line: LedgerLine) => string> =
  {
    end_user: ({ endUser }) => endUser ?? '',
    session: ({ session }) => session ?? '',
    agent: ({ agent }) => agent ?? '',
    client: ({ client }) => client ?? '',
    'tag:team': ({ tags }) => tags?.team ?? '',
    [ODD_TAG]: ({ tags }) => tags?.['odd "name'] ?? '',
    organization: ({ organization }) => organization,
    project: ({ project }) => project,
    user: ({ user }) => user ?? '',
    requested_model: ({ model, requestedModel }) => (model === '' ? '' : (requestedModel ?? '')),
    owner: ({ ownerId }) => ownerId,
    key: ({ keyId }) => keyId,
    model: ({ model }) => model,
    provider: ({ provider }) => provider,
    endpoint: ({ endpoint }) => endpoint,
    status: ({ status }) => `${Math.floor(status / 100)}xx`,
    day: ({ at }) => new Date(at).toISOString().slice(0, 10),
    hour: ({ at }) => `${new Date(at).toISOString().slice(0, 13)}:00Z`,
  }
const BY = Object.keys(GROUPS) as (keyof typeof GROUPS)[]
const START = Date.UTC(2026, 9, 20)
const DAYS = 24
const END = START + DAYS * DAY_MS
let lines = 0

/** A time near the border of an hour, or anywhere. */
const time = fc
  .record({ hour: fc.nat(DAYS * 24), offset: fc.oneof(fc.constantFrom(-1, 0, 0, 1), fc.nat(HOUR_MS)) })
  .map(({ hour, offset }) => START + hour * HOUR_MS + offset)

const line = fc.record({
  at: time,
  keyId: fc.constantFrom('k1', 'k2', 'k3'),
  ownerId: fc.constantFrom('o1', 'o2', 'k1'),
  model: fc.constantFrom('m1', 'm2', ''),
  endpoint: fc.constantFrom('chat', 'images'),
  project: fc.constantFrom('personal', 'p1', 'p2'),
  organization: fc.constantFrom('default', 'other'),
  user: fc.constantFrom(null, 'u1'),
  requestedModel: fc.constantFrom(null, 'fast', 'm1'),
  endUser: fc.constantFrom(null, null, 'e1', 'e2', "o'e3"),
  session: fc.constantFrom(null, 's1', 's2'),
  agent: fc.constantFrom(null, 'a1'),
  client: fc.constantFrom(null, 'codex', 'claude-code'),
  tags: fc.constantFrom<LedgerLine['tags']>(null, null, { team: 'a' }, { team: 'b', 'odd "name': 'x' }),
  status: fc.constantFrom(200, 200, 404, 499, 502),
  code: fc.constantFrom(null, null, 'cut'),
  cost: fc.oneof(fc.constant(null), fc.double({ min: 0, max: 2, noNaN: true })),
  promptTokens: fc.nat(10_000),
  durationMs: fc.nat(1_000_000),
})

await onBothStores('reports', ({ one, other }) => {
  test('are the sums of the lines, for any range, while lines are sent twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 50, maxLength: 400 }),
        fc.array(time, { minLength: 8, maxLength: 8 }),
        check,
      ),
      { numRuns: sample(2, 200), endOnFailure: true },
    )
  })

  test('reach to whole hours where the lines are gone, and stay exact elsewhere', async () => {
    const now = (await one.query<{ now: number }>('SELECT now_ms() AS now'))[0]!.now
    const lines = Array.from({ length: 60 }, (_, index) => newLine({ at: now - index * 20 * MINUTE_MS }))
    await insertUsage(one, lines)
    await rollUpAll(one)
    const before = await expiryOf(one, 10 * HOUR_MS)
    // On PostgreSQL, the lines of a month go with its partition, and only others one by one.
    if (one.kind === 'postgres') await one.query('DELETE FROM usage WHERE at < $1', [before])
    while ((await expireLines(one, { before, limit: 7 })) > 0);
    const kept = await one.query<{ at: number }>('SELECT at FROM usage ORDER BY at')
    assert.deepEqual(
      kept.map(({ at }) => at),
      lines
        .map(({ at }) => at)
        .filter((at) => at >= before)
        .sort((a, b) => a - b),
    )
    const [from, to] = [before - 3 * HOUR_MS + 60_000, now - HOUR_MS + 1]
    const report = await sumUsage(other, { from, to, groupBy: 'key', now })
    assert.deepEqual([report.from, report.to], [before - 3 * HOUR_MS, to])
    assert.deepEqual(report.sums, expected(lines, { from: report.from, to }, 'key'))
    const old = await sumUsage(other, { from, to: from + 1, groupBy: 'key', now })
    assert.deepEqual([old.from, old.to], [before - 3 * HOUR_MS, before - 2 * HOUR_MS])
    assert.deepEqual(old.sums, expected(lines, old, 'key'))
  })

  async function check(parts: Partial<LedgerLine>[], times: number[]) {
    await one.transaction([
      { sql: 'DELETE FROM usage' },
      { sql: 'DELETE FROM usage_rollups' },
      { sql: 'DELETE FROM unrolled_batches' },
    ])
    const lines = parts.map(newLine)
    const late = lines.splice(0, 20)
    const half = lines.slice(0, lines.length / 2)
    await Promise.all([insertUsage(one, lines), insertUsage(other, half), insertUsage(one, half)])
    await insertUsage(other, lines)
    // What is rolled up at different times adds up to the same.
    await Promise.all([rollUpSlice(one), rollUpSlice(other), insertUsage(one, late)])
    lines.push(...late)
    for (const [index, from] of times.slice(1).entries())
      for (const now of [from, times[index]!, END])
        await compare(lines, { from, to: times[index]!, groupBy: BY[(index + (now % 7)) % BY.length]!, now })
    for (const groupBy of BY) await compare(lines, { from: START, to: END, groupBy, now: END })
  }

  async function compare(
    lines: LedgerLine[],
    range: { from: number; to: number; groupBy: keyof typeof GROUPS; now: number },
    db: Database = other,
  ) {
    // A line is never in the future.
    const past = Math.max(range.now, ...lines.map(({ at }) => at))
    for (const now of new Set([range.now, past]))
      assert.deepEqual((await sumUsage(db, { ...range, now })).sums, expected(lines, range, range.groupBy))
  }
})

function newLine(parts: Partial<LedgerLine>): LedgerLine {
  return ledgerLine({ id: `line-${lines++}`, ...parts })
}

function expected(
  lines: LedgerLine[],
  { from, to }: { from: number; to: number },
  groupBy: keyof typeof GROUPS,
): UsageSum[] {
  const groups = Object.groupBy(
    lines.filter(({ at }) => at >= from && at < to),
    GROUPS[groupBy],
  )
  return Object.entries(groups)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([group, lines = []]) => ({
      group,
      requests: lines.length,
      promptTokens: total(lines, ({ promptTokens }) => promptTokens),
      cachedTokens: total(lines, ({ cachedTokens }) => cachedTokens),
      completionTokens: total(lines, ({ completionTokens }) => completionTokens),
      costNanos: BigInt(total(lines, ({ cost }) => toNanos(cost) ?? 0)),
      unpricedRequests: total(lines, ({ cost }) => (cost === null ? 1 : 0)),
      failedRequests: total(lines, ({ status, code }) => (status >= 400 || code !== null ? 1 : 0)),
      latencies: [...LATENCY_BOUNDS_MS, Infinity].map((bound, index, bounds) =>
        total(lines, ({ durationMs }) => (durationMs <= bound && !(durationMs <= bounds[index - 1]!) ? 1 : 0)),
      ),
    }))
}

function total(lines: LedgerLine[], of: (line: LedgerLine) => number): number {
  return lines.reduce((sum, line) => sum + of(line), 0)
}
