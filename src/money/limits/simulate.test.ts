import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../../../test/fakes/stores.ts'
import { ledgerLine } from '../../../test/fakes/ledger-line.ts'
import { CLI_ACTOR } from '../../tenants/people/actor.ts'
import type { LimitKind } from '../../platform/config/spend-limits/limit.ts'
import type { SimulateLimitRequest } from '../../contract/admin/simulation.ts'
import { insertUsage } from '../../platform/store/ledger/usage.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import { simulateLimit } from './simulate.ts'
import { DAY_MS } from '../../base/units/units.ts'

/** Noon in Paris, one day after the clocks were put back there. */
const NOW = Date.parse('2026-10-26T11:00:00Z')
const catalog = { find: () => ({ price: { input: 1, output: 2 } }) as never }

await onBothStores('a simulation', ({ one, other }) => {
  function simulate(body: Partial<SimulateLimitRequest>, kind: LimitKind = 'budget', more = {}) {
    const asked = { applies_to: 'all', limit: 1, window: 'day', ...body } as SimulateLimitRequest
    return simulateLimit(kind, asked, { db: other, now: () => NOW, catalog, actor: CLI_ACTOR, ...more })
  }

  let lines = 0
  async function addProject(id: string) {
    const sql = `INSERT INTO projects (id, organization, name, share, created_at, updated_at)
      VALUES ($1, 'default', $1, 'project', 0, 0)`
    await other.transaction([{ sql, values: [id] }])
  }

  function write(rows: Partial<LedgerLine>[]) {
    const defaults = { cost: 0.4, promptTokens: 100, completionTokens: 100, project: 'p', keyId: 'k1', model: 'a/m' }
    return insertUsage(
      one,
      rows.map((row) =>
        ledgerLine({ id: `line-${String(++lines).padStart(6, '0')}`, at: NOW - 1, ...defaults, ...row }),
      ),
    )
  }

  test('refuses what does not fit into the day, and begins anew at midnight of the time zone', async () => {
    const midnight = Date.parse('2026-10-25T23:00:00Z')
    const before = [0, 1, 2].map((index) => ({ at: midnight - 3_000 + index, keyId: index === 2 ? 'k2' : 'k1' }))
    await write([...before, { at: midnight }, { at: midnight + 1 }])
    const found = await simulate({ timezone: 'Europe/Paris', on_exceeded: 'refuse' })
    assert.deepEqual([found.requests, found.refused, found.clamped, found.used], [5, 1, 0, 2])
    assert.deepEqual(found.days, [{ day: '2026-10-25', requests: 3, refused: 1, clamped: 0, unpriced: 0 }])
    assert.deepEqual(
      found.top.map(({ id, refused, requests }) => [id, refused, requests]),
      [['k2', 1, 1]],
    )
    const [example] = found.examples
    assert.deepEqual([example!.outcome, example!.needed, Math.round(example!.left * 10)], ['refused', 0.4, 2])
    assert.deepEqual([Math.round(found.peak!.wanted * 10), found.peak!.window_start], [12, '2026-10-24T22:00:00.000Z'])
    assert.equal(found.is_complete, true)
    // In UTC the last two calls are on the day before, with the three others.
    assert.equal((await simulate({ on_exceeded: 'refuse' })).refused, 3)
  })

  test('a call that would have been refused uses nothing, so a smaller one after it passes', async () => {
    await write([{ cost: 0.9 }, { cost: 0.2 }, { cost: 0.1 }])
    const found = await simulate({ on_exceeded: 'refuse' })
    assert.deepEqual([found.refused, found.examples[0]!.needed], [1, 0.2])
  })

  test('shortens an answer if enough of it can be paid, and refuses it otherwise', async () => {
    // A token of an answer costs 0.000002.
    await write([{ cost: 0.5 }, { cost: 0.501, completionTokens: 1_000 }, { cost: 0.001, completionTokens: 300 }])
    const found = await simulate({})
    assert.deepEqual([found.requests, found.clamped, found.refused], [3, 1, 1])
  })

  test('counts requests and tokens, and lets short windows slide', async () => {
    await write([0, 1, 2, 30_000, 61_000].map((after) => ({ at: NOW - DAY_MS + after })))
    const rpm = await simulate({ unit: 'requests', limit: 2, window: 'minute' }, 'rate_limit')
    assert.deepEqual([rpm.requests, rpm.refused, rpm.peak], [5, 2, null])
    const tokens = await simulate({ unit: 'tokens', limit: 500, window: 'day', on_exceeded: 'refuse' }, 'rate_limit')
    assert.deepEqual([tokens.refused, tokens.used], [3, 1_000])
  })

  test('says what calls used, also if one of them used more than the limit of a minute', async () => {
    await write([0, 1].map((after) => ({ at: NOW - DAY_MS + after })))
    const tpm = await simulate({ unit: 'tokens', limit: 50, window: 'minute' }, 'rate_limit')
    assert.deepEqual([tpm.requests, tpm.refused, tpm.used, tpm.examples[0]!.needed], [2, 1, 400, 200])
  })

  test('looks only at what the limit is about, and counts apart', async () => {
    await write([
      { project: 'q' },
      { endUser: 'alice', tags: { team: 'a' } },
      { endUser: 'alice' },
      { endUser: 'bob', endpoint: 'images', model: 'b/x', provider: 'b' },
      { attempts: 0, status: 402 },
      { at: NOW - 31 * DAY_MS },
    ])
    const requests = async (body: object) => (await simulate(body)).requests
    assert.equal(await requests({}), 4)
    assert.equal(await requests({ applies_to: 'project:p' }), 3)
    assert.equal(await requests({ applies_to: 'end_user:alice' }), 2)
    assert.equal(await requests({ tags: { team: 'a' } }), 1)
    assert.equal(await requests({ endpoints: ['images'], models: ['b/*'], providers: ['b'] }), 1)
    assert.equal(await requests({ days: 40 }), 5)
    const each = await simulate({ per: 'end_user', limit: 0.5, on_exceeded: 'refuse' })
    assert.deepEqual([each.refused, each.top.map(({ id }) => id)], [1, ['alice']])
  })

  test('says what has no price, unless one is assumed', async () => {
    await write([{ cost: null }, { cost: null }])
    assert.equal((await simulate({})).unpriced, 2)
    const assumed = await simulate({ limit: 0.0004, assume: { input: 1, output: 2 }, on_exceeded: 'refuse' })
    assert.deepEqual([assumed.unpriced, assumed.refused], [0, 1])
  })

  test('judges what is not a chat as a limit would: no price is assumed, and nothing is shortened', async () => {
    await write([{ cost: null, endpoint: 'universal' }, { cost: 0.9 }, { cost: 0.2, completionTokens: 100_000 }])
    await write([{ cost: 0.2, completionTokens: 100_000, endpoint: 'universal' }])
    const found = await simulate({ assume: { input: 1, output: 2 } })
    assert.deepEqual([found.requests, found.unpriced, found.clamped, found.refused], [4, 1, 1, 1])
  })

  test('reads many lines page by page in their order, and says if that was not all', async () => {
    await write(Array.from({ length: 4_500 }, (_, index) => ({ at: NOW - 1_000 + (index % 3), cost: 0.001 })))
    const found = await simulate({ on_exceeded: 'refuse' })
    assert.deepEqual([found.requests, found.refused, found.is_complete], [4_500, 3_500, true])
    assert.equal((await simulate({}, 'budget', { maxLines: 2_000 })).is_complete, false)
  })

  test('a manager replays the calls of the own project, and of no other', async () => {
    await write([{}, { project: 'q' }])
    await addProject('p')
    const memberships = [{ role: 'manager', organization: 'default', project: 'p' }] as never
    const actor = { ...CLI_ACTOR, kind: 'user' as const, id: 'u', memberships }
    assert.equal((await simulate({ applies_to: 'project:p' }, 'budget', { actor })).requests, 1)
    for (const applies_to of ['project:q', 'all', 'end_user:alice'])
      await assert.rejects(simulate({ applies_to }, 'budget', { actor }), { code: 'not_allowed' })
  })

  test('calls at the same time cannot be replayed', async () => {
    const asked = simulate({ unit: 'concurrent', limit: 2 }, 'rate_limit')
    await assert.rejects(asked, { code: 'validation_error' })
  })
})
