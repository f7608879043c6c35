import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readLimits } from './read-limits.ts'

const PAGE = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'budgets.md')

test('every config in docs/budgets.md is one that the gateway accepts', () => {
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/```json\n(.*?)```/gs)].map(([, text]) => JSON.parse(text!))
  assert.ok(blocks.length >= 5)
  for (const { budgets, rateLimits } of blocks) assert.ok(readLimits({ budgets, rateLimits }).length > 0)
})
