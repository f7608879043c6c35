import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANY_CALLER } from '../../test/fakes/any-caller.ts'
import { lineAt } from '../money/billing/foreseen-line.ts'
import { NO_TOKENS } from '../money/billing/token-buckets.ts'
import { newSendReport } from '../translation/wire/wire.ts'
import { newCall } from './call.ts'
import { lineIfInterrupted } from './close-call.ts'
import type { Bill } from './order.ts'

const NOW = 5_000_000
const CLOCK = { now: () => NOW, monotonic: () => 300 }
const DEAR = { id: 'one/dear', provider: { id: 'one' } }
const FREE = { id: 'own/free', provider: { id: 'own', free: true } }

test('a call that has asked no provider has no line if its process dies', () => {
  const call = aCall()
  assert.equal(lineIfInterrupted(call, CLOCK), undefined)
  call.spending.order({ model: DEAR, attempt: Symbol(), likelyBill: () => billOf(1) })
  assert.equal(lineIfInterrupted(call, CLOCK), undefined, 'its request waits for a connection')
})

test('what ended before the kill counts as it was billed, and what runs is estimated and grows', () => {
  const call = aCall()
  call.record.asks({ id: 'one/dear', provider: { id: 'one' } })
  order(call, billOf(9)).delivered(billOf(0.25, 100))
  order(call, billOf(9)).refused()
  order(call, billOf(9), { aside: true }).delivered(billOf(0.125, 7))
  const growing = (laterMs: number) => billOf(1 + Math.min(laterMs, 1_000) / 1_000, 1_000 + Math.min(laterMs, 1_000))
  const report = { ...newSendReport(), isWritten: true }
  call.spending.order({ model: DEAR, attempt: Symbol(), likelyBill: growing, billMoments: () => [1_000] }, report)
  const foreseen = lineIfInterrupted(call, CLOCK)!
  const at = (ms: number) => {
    const { cost, completionTokens, durationMs, at } = lineAt(foreseen, NOW + ms)
    return [cost, completionTokens, durationMs, at]
  }
  assert.deepEqual(at(0), [1.375, 1_100, 300, NOW])
  assert.deepEqual(at(500), [1.875, 1_600, 800, NOW + 500])
  assert.deepEqual(at(60_000), [2.375, 2_100, 60_300, NOW + 60_000])
  const { id, keyId, model, provider, status, code, estimated, attempts, detail } = lineAt(foreseen, NOW)
  assert.deepEqual([id, keyId, model, provider], ['call', 'k', 'one/dear', 'one'])
  assert.deepEqual(
    [status, code, estimated, attempts, detail?.a?.[0]?.[3]],
    [500, 'interrupted', true, 1, 'interrupted'],
  )
  assert.equal(call.spending.isKnown, false, 'the call itself goes on')
})

test('a call whose orders have all ended is not estimated, and neither is one that costs nothing', () => {
  const ended = aCall()
  order(ended, billOf(9)).delivered(billOf(0.25))
  const exact = lineAt(lineIfInterrupted(ended, CLOCK)!, NOW + 9_000)
  assert.deepEqual([exact.cost, exact.estimated, exact.attempts], [0.25, false, 0])
  const free = aCall()
  order(free, billOf(9), { model: FREE })
  const nothing = lineAt(lineIfInterrupted(free, CLOCK)!, NOW)
  assert.deepEqual([nothing.cost, nothing.estimated, nothing.attempts], [0, false, 1])
})

test('a price that is not known stays unknown', () => {
  const call = aCall()
  order(call, billOf(null))
  assert.equal(lineAt(lineIfInterrupted(call, CLOCK)!, NOW + 1_000).cost, null)
})

test('a spending says when something is ordered, and when an order has ended', () => {
  const call = aCall()
  let changes = 0
  let heard = 0
  call.spending.whenChanged(() => changes++)
  call.spending.part().whenChanged(() => heard++)
  const first = order(call, billOf(1))
  order(call, billOf(1), { aside: true }).refused()
  first.delivered(billOf(1))
  first.left()
  assert.deepEqual([changes, heard], [4, 4], 'both listeners are told')
})

function aCall() {
  const { signal } = new AbortController()
  return newCall({ id: 'call', caller: ANY_CALLER, endpoint: 'chat', startedAt: 0, signal, wantsMetadata: false })
}

type Ordered = { aside?: boolean; model?: typeof DEAR | typeof FREE }

function order({ spending }: ReturnType<typeof aCall>, likely: Bill, { aside = false, model = DEAR }: Ordered = {}) {
  const part = aside ? spending.part({ isAside: true }) : spending
  return part.order({ model, attempt: Symbol(), likelyBill: () => likely }, { ...newSendReport(), isWritten: true })
}

function billOf(cost: number | null, plainOutput = 0): Bill {
  return { cost, tokens: { ...NO_TOKENS, plainOutput } }
}
