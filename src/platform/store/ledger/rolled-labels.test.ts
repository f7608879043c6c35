import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import { ledgerLine } from '../../../../test/fakes/ledger-line.ts'
import { insertUsage } from './usage.ts'
import { LABEL_LIMITS, LabelCounts, OTHER_VALUES } from './rolled-labels.ts'
import { rollUpAll } from './roll-up-batches.ts'
import { sumUsage } from './sum-usage.ts'
import { DAY_MS } from '../../../base/units/units.ts'

const LIMITS = { end_user: 2, session: 1, agent: 1, tags: 2, valuesOfTag: 1 }
const NONE = { endUser: null, session: null, agent: null, tags: null }

test('a day counts some end users and values by name, and all others together', () => {
  const counts = new LabelCounts(LIMITS)
  const of = (endUser: string | null, tags: Record<string, string> | null, at = 0) =>
    counts.of({ ...NONE, at, endUser, tags })
  assert.equal(of(null, null), null)
  assert.deepEqual(of('a', { team: 'x', env: 'p' }), { end_user: 'a', 'tag:team': 'x', 'tag:env': 'p' })
  assert.deepEqual(of('b', { team: 'y' }), { end_user: 'b', 'tag:team': OTHER_VALUES })
  assert.deepEqual(of('c', { third: 'z', team: 'x' }), { end_user: OTHER_VALUES, 'tag:team': 'x' })
  assert.deepEqual(of('a', { third: 'z' }), { end_user: 'a' })
  assert.deepEqual(of('c', { third: 'z' }, DAY_MS), { end_user: 'c', 'tag:third': 'z' })
})

test('sessions and agents are counted apart, and each of them has a limit of its own', () => {
  const counts = new LabelCounts(LIMITS)
  assert.deepEqual(counts.of({ ...NONE, at: 0, session: 's', agent: 'a' }), { session: 's', agent: 'a' })
  assert.deepEqual(counts.of({ ...NONE, at: 0, session: 't', agent: 'a' }), { session: OTHER_VALUES, agent: 'a' })
  assert.deepEqual(counts.of({ ...NONE, at: 0, tags: { x: '1', y: '2', z: '3' } }), { 'tag:x': '1', 'tag:y': '2' })
})

test('what is remembered is limited, whatever times lines have', () => {
  const counts = new LabelCounts(LIMITS)
  for (let day = 0; day < 100; day++) counts.of({ ...NONE, at: day * DAY_MS, endUser: 'a' })
  assert.deepEqual(counts.of({ ...NONE, at: 99 * DAY_MS, endUser: 'a' }), { end_user: 'a' })
})

await onBothStores('labels without an end', ({ one, other }) => {
  test('make few roll-ups, and reports still have every call', async () => {
    const users = LABEL_LIMITS.end_user + 50
    const at = 1_000 * DAY_MS
    const lines = Array.from({ length: users }, (_, index) =>
      ledgerLine({ id: `r${index}`, at: at + index, endUser: `e${index}`, tags: { trace: `t${index}` }, cost: 0.001 }),
    )
    await insertUsage(one, lines)
    await rollUpAll(one)
    const sql = "SELECT COUNT(*) AS rows FROM usage_rollups WHERE dimension IN ('end_user', 'tag:trace')"
    const [{ rows: rollUps }] = (await one.query<{ rows: number }>(sql)) as [{ rows: number }]
    assert.equal(rollUps, 3 * (LABEL_LIMITS.end_user + 1 + LABEL_LIMITS.valuesOfTag + 1))
    for (const [from, to] of [
      [at - 5, at + DAY_MS],
      [at + 7, at + users - 13],
    ] as const)
      for (const groupBy of ['end_user', 'tag:trace'] as const) {
        const { sums } = await sumUsage(other, { from, to, groupBy, now: at + DAY_MS })
        const requests = sums.reduce((sum, { requests }) => sum + requests, 0)
        assert.equal(requests, lines.filter((line) => line.at >= from && line.at < to).length)
        assert.ok(sums.some(({ group }) => group === OTHER_VALUES))
        assert.ok(sums.every(({ requests }) => requests > 0))
      }
  })
})
