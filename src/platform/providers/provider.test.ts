import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hosted } from './row-builders.ts'
import type { ProviderRow } from './provider.ts'

// The compiler is the test: each line below is a slip of the pen, and `tsc` fails if it lets one pass.

const ROW: ProviderRow = { name: 'X', dialect: 'openai', baseUrl: 'https://x.test/v1', auth: { scheme: 'none' } }

const SLIPS: ProviderRow[] = [
  // @ts-expect-error no such dialect
  { ...ROW, dialect: 'opnai' },
  // @ts-expect-error no such field
  { ...ROW, baseURL: 'https://x.test/v1' },
  // @ts-expect-error no such way to authenticate
  { ...ROW, auth: { scheme: 'baerer' } },
  // @ts-expect-error no such region
  { ...ROW, regions: ['europe'] },
  // @ts-expect-error no such field rule
  { ...ROW, fieldRules: { remove: ['seed'] } },
  // @ts-expect-error a parameter says where it keeps calls by region
  { ...ROW, params: { REGION: { regions: { mars: ['olympus'] } } } },
  // @ts-expect-error a row has an address
  { name: 'X', dialect: 'openai', auth: { scheme: 'none' } },
  // @ts-expect-error no such field
  hosted('X', 'https://x.test/v1', 'X_API_KEY', { region: ['eu'] }),
]

test('a row with a slip of the pen does not compile', () => {
  assert.equal(SLIPS.length, 8)
})
