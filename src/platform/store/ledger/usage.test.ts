import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { onBothStores } from '../../../../test/fakes/stores.ts'
import { toDollars } from './money.ts'
import { rollUpAll } from './roll-up-batches.ts'
import { sumUsage, type UsageSum } from './sum-usage.ts'
import type { UsageGroup } from './usage-group.ts'
import { insertUsage } from './usage.ts'
import type { LedgerLine } from './ledger-line.ts'
import { DAY_MS } from '../../../base/units/units.ts'

const DAY_ONE = { from: 0, to: DAY_MS }
const AUDIT = { moreTokens: null, priceVersion: null, providerCost: null }
const PLACE = { organization: 'default', project: 'p', ownerKind: 'project' as const, ownerId: 'p', user: null }
const LABELS = {
  endUser: null,
  tags: null,
  requestedModel: null,
  detail: null,
  guardrails: null,
  guardrailsPassed: null,
  session: null,
  agent: null,
  parentAgent: null,
  client: null,
}

await onBothStores('usage', ({ one: db }) => {
  test('counts a line once, however often and in whatever batch it is sent', async () => {
    const lines = Array.from({ length: 1_234 }, (_, index) => newUsage({ at: index }))
    await insertUsage(db, lines)
    await insertUsage(db, lines)
    await Promise.all([
      insertUsage(db, lines.slice(0, 50)),
      insertUsage(db, [...lines.slice(40), newUsage({ at: 1_234 })]),
    ])
    await insertUsage(db, [])
    const [sum] = await sums({ from: 0, to: 2_000, groupBy: 'provider' })
    assert.equal(sum!.requests, 1_235)
    assert.equal(sum!.promptTokens, 12_350)
  })

  test('keeps counts that no integer column would take from blocking the ledger', async () => {
    const strange = {
      promptTokens: 1.5,
      cachedTokens: Number.NaN,
      completionTokens: 1e300,
      cost: Number.NaN,
      model: 'a\0b \ud800 \\u0000',
    }
    await insertUsage(db, [newUsage(strange)])
    const [sum] = await sums({ from: 0, to: 10, groupBy: 'day' })
    assert.deepEqual(sum, {
      group: '1970-01-01',
      requests: 1,
      promptTokens: 2,
      cachedTokens: 0,
      completionTokens: 1e13,
      cost: 0,
      unpricedRequests: 1,
      failedRequests: 0,
    })
  })

  test('keeps sums that no integer column would take from blocking the ledger', async () => {
    const absurd = () => newUsage({ at: 5, cost: 1e9, promptTokens: 1e300 })
    for (let batch = 0; batch < 3; batch++) await insertUsage(db, Array.from({ length: 2_000 }, absurd))
    await rollUpAll(db)
    await insertUsage(db, [newUsage({ at: 5, cost: 0 })])
    const [sum] = await sums({ from: 0, to: DAY_MS, groupBy: 'provider' })
    assert.deepEqual([sum!.requests, sum!.cost], [6_001, 4e8])
  })

  test('sums usage by key, model, provider and day', async () => {
    const leapDay = Date.UTC(2028, 1, 29, 23, 59, 59, 999)
    await insertUsage(db, [
      newUsage({ at: leapDay, keyId: 'k1', model: 'm1', provider: 'p1', cost: 0.25 }),
      newUsage({
        at: leapDay + 1,
        keyId: 'k1',
        model: 'm2',
        provider: 'p2',
        cost: null,
        status: 502,
        code: 'upstream_error',
      }),
      newUsage({
        at: leapDay + 2,
        keyId: 'k2',
        model: 'm2',
        provider: 'p2',
        cost: 0.5,
        cachedTokens: 4,
        code: 'cut',
      }),
      newUsage({ at: leapDay + 3, keyId: 'outside' }),
    ])
    const sumsBy = (groupBy: UsageGroup) => sums({ from: leapDay, to: leapDay + 3, groupBy })
    const one = {
      requests: 1,
      promptTokens: 10,
      cachedTokens: 0,
      completionTokens: 20,
      unpricedRequests: 0,
      failedRequests: 0,
    }
    const two = {
      requests: 2,
      promptTokens: 20,
      cachedTokens: 4,
      completionTokens: 40,
      cost: 0.5,
      unpricedRequests: 1,
      failedRequests: 2,
    }
    assert.deepEqual(await sumsBy('provider'), [
      { group: 'p1', ...one, cost: 0.25 },
      { group: 'p2', ...two },
    ])
    assert.deepEqual(await sumsBy('model'), [
      { group: 'm1', ...one, cost: 0.25 },
      { group: 'm2', ...two },
    ])
    assert.deepEqual(await sumsBy('day'), [
      { group: '2028-02-29', ...one, cost: 0.25 },
      { group: '2028-03-01', ...two },
    ])
    assert.deepEqual(await sumsBy('key'), [
      {
        group: 'k1',
        ...one,
        requests: 2,
        promptTokens: 20,
        completionTokens: 40,
        cost: 0.25,
        unpricedRequests: 1,
        failedRequests: 1,
      },
      { group: 'k2', ...one, cachedTokens: 4, cost: 0.5, failedRequests: 1 },
    ])
    assert.deepEqual(await sums({ from: 0, to: 1, groupBy: 'day' }), [])
  })

  test('sums that no number can hold are exact', async () => {
    const dear = Array.from({ length: 20 }, () => newUsage({ cost: 999_999.999_999_999, completionTokens: 1e300 }))
    await insertUsage(db, dear)
    const [{ costNanos, completionTokens }] = (await sumUsage(db, { ...DAY_ONE, groupBy: 'model', now: 0 })).sums as [
      UsageSum,
    ]
    assert.deepEqual([costNanos, completionTokens], [19_999_999_999_999_980n, 2e14])
  })

  /** The sums without their latencies, and the cost in dollars. */
  async function sums(range: { from: number; to: number; groupBy: UsageGroup }) {
    const { sums } = await sumUsage(db, { ...range, now: range.to })
    return sums.map(({ latencies: _, costNanos, ...sum }) => ({ ...sum, cost: toDollars(costNanos) }))
  }
})

function newUsage(parts: Partial<LedgerLine> = {}): LedgerLine {
  const words = { keyId: 'k', endpoint: 'chat/completions', model: 'm', provider: 'p' }
  const tokens = { promptTokens: 10, cachedTokens: 0, cacheWriteTokens: 0, completionTokens: 20, reasoningTokens: 0 }
  const outcome = { status: 200, code: null, stream: false, attempts: 1, cost: 0.5, estimated: false }
  return {
    id: randomUUID(),
    at: 0,
    ...words,
    ...tokens,
    ...outcome,
    durationMs: 5,
    firstTokenMs: null,
    ...AUDIT,
    ...PLACE,
    ...LABELS,
    ...parts,
  }
}
