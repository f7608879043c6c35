import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Ledger } from '../../src/billing/ledger.ts'
import { type Database, type Statement, StoreUnavailable } from '../../src/store/database.ts'
import type { UsageRow } from '../../src/store/usage.ts'

test('while the store is away, rows wait and are not tried again with every call', async () => {
  const store = awayStore()
  const ledger = new Ledger(store.db)
  for (let i = 0; i < 3_000; i++) {
    ledger.record(row(i))
    await setImmediate()
  }
  assert.equal(ledger.waiting, 3_000)
  assert.ok(store.tries <= 2, `${store.tries} tries`)
  store.away = false
  await ledger.flush()
  assert.deepEqual([ledger.waiting, ledger.lost], [0, 0])
  assert.deepEqual(
    store.ids,
    Array.from({ length: 3_000 }, (_, i) => `row-${i}`),
  )
})

test('a flush waits for what was recorded before it, also while another one is writing', async () => {
  const store = awayStore()
  store.away = false
  const ledger = new Ledger(store.db)
  for (let i = 0; i < 10; i++) {
    ledger.record(row(i))
    const flushes = [ledger.flush(), ledger.flush()]
    ledger.record(row(100 + i))
    flushes.push(ledger.flush(), ledger.flush())
    await flushes.at(-1)
    assert.ok(store.ids.includes(`row-${100 + i}`))
    await Promise.all(flushes)
  }
  assert.equal(store.ids.length, 20)
})

test('more than fits is counted as lost, and the rest is kept', () => {
  const ledger = new Ledger(awayStore().db)
  for (let i = 0; i < 110_000; i++) ledger.record(row(i))
  assert.ok(ledger.waiting <= 100_000)
  assert.ok(ledger.lost > 5_000 && ledger.lost <= 10_000, `${ledger.lost} lost`)
})

/** A store that can become unavailable, and that takes a moment for everything, as real ones do. */
function awayStore() {
  const store = { away: true, tries: 0, ids: [] as string[], db: {} as Database }
  const transaction = async (statements: readonly Statement[]) => {
    store.tries++
    await setImmediate()
    if (store.away) throw new StoreUnavailable('The database is not reachable.')
    for (const { values = [] } of statements) store.ids.push(...values.map(String).filter(isRowId))
    return []
  }
  store.db = { kind: 'sqlite', query: async () => [], transaction, close: async () => {} }
  return store
}

function isRowId(value: string): boolean {
  return value.startsWith('row-')
}

function row(index: number): UsageRow {
  return {
    ...{ id: `row-${index}`, at: index, requestId: 'request', keyId: 'key', owner: 'owner', endpoint: 'chat' },
    ...{ model: 'model', provider: 'provider', status: 200, code: null, stream: false, attempts: 1 },
    ...{ promptTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, completionTokens: 1, reasoningTokens: 0 },
    ...{ cost: 0, estimated: false, durationMs: 1, firstTokenMs: null },
    ...{ moreTokens: null, priceVersion: null, providerCost: null },
  }
}
