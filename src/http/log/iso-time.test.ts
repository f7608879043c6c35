import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoTime } from './iso-time.ts'
import { DAY_MS } from '../../base/units/units.ts'

test('a moment is written as toISOString writes it, in any order of moments', () => {
  const start = Date.UTC(2026, 11, 31, 23, 59, 58)
  for (const ms of [0, 1, 9, 10, 99, 100, 999, 1_000, 1_007, 2_000, 500, DAY_MS, 999])
    assert.equal(isoTime(start + ms), new Date(start + ms).toISOString())
})
