import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usageRow } from '../../test/fakes/usage-row.ts'
import { readLine, toLine } from './journal-line.ts'

test('a line has every field of its row, whatever is in it', () => {
  const rows = [
    usageRow(),
    usageRow({
      stream: true,
      estimated: true,
      code: 'upstream_error',
      cost: null,
      firstTokenMs: 3,
      providerCost: 1e-9,
    }),
    usageRow({ charges: [['research', 'key', 0, 12, 'process']] }),
    usageRow({ model: 'a"b\n\u2028\ud800é', moreTokens: { audio: 3 }, priceVersion: '2026-11-01' }),
  ]
  for (const row of rows) assert.deepEqual(readLine(toLine(row)), row)
})

test('a line without the newest fields can be read', () => {
  const row = usageRow({ providerCost: 1 })
  const values = JSON.parse(toLine(row))
  assert.deepEqual(readLine(JSON.stringify(values.slice(0, -2))), { ...row, providerCost: null })
})
