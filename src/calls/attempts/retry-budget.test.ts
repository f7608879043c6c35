import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RetryBudget } from './retry-budget.ts'

test('an owner begins with three retries', () => {
  assert.equal(taken(new RetryBudget(), 10), 3)
})

test('every five requests earn one retry', () => {
  const budget = new RetryBudget({ toBeginWith: 0 })
  let extra = 0
  for (let request = 0; request < 200; request++) {
    budget.request('anna')
    extra += taken(budget, 2)
  }
  assert.equal(extra, 40)
})

test('at most a hundred retries are saved up', () => {
  const budget = new RetryBudget()
  for (let request = 0; request < 10_000; request++) budget.request('anna')
  assert.ok(Math.abs(taken(budget, 1_000) - 100) <= 1)
})

test('without initial and earned retries there is none', () => {
  const budget = new RetryBudget({ toBeginWith: 0, perRequest: 0 })
  for (let request = 0; request < 100; request++) budget.request('anna')
  assert.equal(budget.take('anna'), false)
})

test('each owner has its own budget', () => {
  const budget = new RetryBudget({ toBeginWith: 3, perRequest: 0 })
  while (budget.take('anna'));
  assert.deepEqual([budget.take('anna'), taken(budget, 10, 'ben')], [false, 3])
})

test('if there are more owners than are remembered, an owner that comes back gets no initial retries', () => {
  const budget = new RetryBudget({ toBeginWith: 3, perRequest: 0 })
  for (let owner = 0; owner < 20_000; owner++) budget.take(`owner ${owner}`)
  assert.equal(budget.take('owner 0'), false)
})

function taken(budget: RetryBudget, max: number, owner = 'anna'): number {
  let count = 0
  while (count < max && budget.take(owner)) count++
  return count
}
