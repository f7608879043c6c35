import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ledgerLine } from '../../test/fakes/ledger-line.ts'
import { readLine, toLine } from './journal-line.ts'

test('a line has every field of its row, whatever is in it', () => {
  const rows = [
    ledgerLine(),
    ledgerLine({
      stream: true,
      estimated: true,
      code: 'upstream_error',
      cost: null,
      firstTokenMs: 3,
      providerCost: 1e-9,
    }),
    ledgerLine({ charges: [['research', 'key', 0, 12, 'process']] }),
    ledgerLine({
      ...{
        organization: 'default',
        project: 'p',
        user: 'u',
        endUser: 'e',
        tags: { team: 'x' },
        requestedModel: 'fast',
      },
      detail: { a: [[null, null, 'main', 'answered', 200, 'req_1', null, 3, 4, null]], c: { input: 0.1 } },
    }),
    ledgerLine({ model: 'a"b\n\u2028\ud800é', moreTokens: { audio: 3 }, priceVersion: '2026-11-01' }),
  ]
  for (const row of rows) assert.deepEqual(readLine(toLine(row)), row)
})

test('a line without the newest fields can be read', () => {
  const row = ledgerLine({ providerCost: 1, project: 'p', endUser: 'e', tags: { a: 'b' }, detail: {} })
  const values = JSON.parse(toLine(row))
  const fieldsBeforeProjects = 23
  assert.deepEqual(readLine(JSON.stringify(values.slice(0, fieldsBeforeProjects))), ledgerLine({ providerCost: 1 }))
  assert.deepEqual(readLine(JSON.stringify(values.slice(0, -1))), row)
  assert.deepEqual(readLine(JSON.stringify(values.slice(0, -2))), { ...row, detail: null })
})
