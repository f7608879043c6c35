import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codePointsIn } from './code-points.ts'

test('characters are code points, also beside halves of one', () => {
  for (const text of ['', 'door', 'é', '🚪🚪', 'a🚪b', '\ud83d', '\udeaa', '\ud83d\ud83d\udeaa', '🚪\udeaa'])
    assert.equal(codePointsIn(text), Array.from(text).length, JSON.stringify(text))
})
