import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from './limit-cache.ts'
import { Reservation } from './reservation.ts'

const ENTRY = { id: 'old', appliesTo: 'all', limit: 1, window: 'month' }

test('a call is charged an integer that every store takes, whatever its price is', () => {
  const limit = readSettings(JSON.stringify({ kind: 'budget', entry: ENTRY }))!
  for (const [input, charged] of [
    [1e308, 1e15],
    [1e15, 1e15],
    [0.5, 500],
  ] as const) {
    const settled: number[] = []
    const share = { settle: (_reserved: number, used: number) => settled.push(used) && 0 }
    const reservation = new Reservation({ processName: 'p', overran() {}, settled() {} })
    const assumed = { ...limit, assume: { input, output: 0 } }
    const held = { limit: assumed, bucket: '', start: 0, end: 1, cap: 1, share } as never
    reservation.add({}, [{ window: held, missing: 1, amount: 1 }])
    const totals = { cost: null, inputTokens: 1, outputTokens: 0, model: 'a/m', provider: 'a' }
    assert.deepEqual(reservation.settle([totals]), [['old', '', 0, charged, 'p']])
    assert.deepEqual(reservation.chargesOfMore(totals), [['old', '', 0, charged, 'p']])
    assert.deepEqual(settled, [charged])
  }
})
