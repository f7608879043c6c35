import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Database, type Statement, StoreUnavailable } from '../../../src/platform/store/database.ts'
import type { LedgerLine } from '../../../src/platform/store/ledger/ledger-line.ts'
import { closer } from '../../fakes/stores.ts'
import { temporaryJournal } from '../../fakes/temporary-journal.ts'
import { ledgerLine } from '../../fakes/ledger-line.ts'
import { sample } from '../../soak/sample.ts'

test('while the store is away, rows wait and are not tried again with every call', async (t) => {
  const store = awayStore()
  const { ledger } = temporaryJournal(closer(t)).openLedger(store.db)
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
  await ledger.close()
})

test('a flush waits for what was recorded before it, also while another one is writing', async (t) => {
  const store = awayStore()
  store.away = false
  const { ledger } = temporaryJournal(closer(t)).openLedger(store.db)
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
  await ledger.close()
})

test('while the store is away, more rows than memory holds wait on disk, and none is lost', async (t) => {
  const store = awayStore()
  const { folder, openLedger } = temporaryJournal(closer(t))
  const { ledger } = openLedger(store.db)
  const count = sample(12_000, 30_000)
  for (let i = 0; i < count; i++) {
    ledger.record(row(i))
    if (i % 100 === 99) await setImmediate()
  }
  assert.deepEqual([ledger.waiting, ledger.lost, ledger.trouble], [count, 0, undefined])
  assert.ok(readdirSync(folder).length > 3)
  store.away = false
  await ledger.flush()
  assert.deepEqual(
    [store.ids.length, new Set(store.ids).size, ledger.waiting, ledger.journalBytes],
    [count, count, 0, 0],
  )
  await ledger.close()
  assert.deepEqual(readdirSync(folder), [])
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
  store.db = { kind: 'sqlite', query: async () => [], report: async () => [], transaction, close: async () => {} }
  return store
}

function isRowId(value: string): boolean {
  return value.startsWith('row-')
}

function row(index: number): LedgerLine {
  return ledgerLine({ id: `row-${index}`, at: index })
}
