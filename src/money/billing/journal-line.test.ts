import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ledgerLine } from '../../../test/fakes/ledger-line.ts'
import { decodeLine, encodeLine } from './journal-line.ts'

test('the text of a line has every field of the line, whatever is in it', () => {
  const lines = [
    ledgerLine(),
    ledgerLine({
      stream: true,
      estimated: true,
      code: 'upstream_error',
      cost: null,
      firstTokenMs: 3,
      providerCost: 1e-9,
    }),
    ledgerLine({ batchId: 'b', tier: 'batch' }),
    ledgerLine({ guardrails: [['pii', 'redacted', 'personal_data', 2, 'email']], guardrailsPassed: ['secrets'] }),
    ledgerLine({ charges: [['research', 'key', 0, 12, 'process']] }),
    ledgerLine({
      organization: 'default',
      project: 'p',
      user: 'u',
      endUser: 'e',
      tags: { team: 'x' },
      requestedModel: 'fast',
      detail: { a: [[null, null, 'main', 'answered', 200, 'req_1', null, 3, 4, null]], c: { input: 0.1 } },
    }),
    ledgerLine({ model: 'a"b\n\u2028\ud800é', moreTokens: { audio: 3 }, priceVersion: '2026-11-01' }),
  ]
  for (const line of lines) assert.deepEqual(decodeLine(encodeLine(line)), line)
})

test('a text without the newest fields can be read', () => {
  const line = ledgerLine({ providerCost: 1, project: 'p', endUser: 'e', tags: { a: 'b' }, detail: {}, session: 's' })
  const values = JSON.parse(encodeLine(line))
  assert.deepEqual(decodeLine(JSON.stringify(values.slice(0, -1))), line)
  assert.deepEqual(decodeLine(JSON.stringify(values.slice(0, -8))), { ...line, session: null })
})

test('a text that does not say whose line it is would be refused by the store, and is not read', () => {
  for (const name of ['organization', 'project', 'ownerKind', 'ownerId'])
    assert.equal(decodeLine(encodeLine({ ...ledgerLine(), [name]: null })), undefined)
})
