import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RetryBudget } from './retry-budget.ts'

test('three to begin with, and no more', () => {
  assert.equal(taken(new RetryBudget(), 10), 3)
})

test('every five requests earn one', () => {
  const budget = new RetryBudget({ toBeginWith: 0 })
  let extra = 0
  for (let request = 0; request < 200; request++) {
    budget.request('anna')
    extra += taken(budget, 2)
  }
  assert.equal(extra, 40)
})

test('good times save up a hundred, not more', () => {
  const budget = new RetryBudget()
  for (let request = 0; request < 10_000; request++) budget.request('anna')
  assert.ok(Math.abs(taken(budget, 1_000) - 100) <= 1)
})

test('none to begin with and none earned: none', () => {
  const budget = new RetryBudget({ toBeginWith: 0, perRequest: 0 })
  for (let request = 0; request < 100; request++) budget.request('anna')
  assert.equal(budget.take('anna'), false)
})

function taken(budget: RetryBudget, most: number): number {
  let count = 0
  while (count < most && budget.take('anna')) count++
  return count
}
