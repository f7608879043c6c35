import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixedCost } from '../money/limits/worst-case.ts'
import { billOfWorst } from './upstream/bounds/token-worst-case.ts'
import { UpstreamProblem } from '../translation/wire/upstream-problem.ts'
import { newSendReport, WireFailure } from '../translation/wire/wire.ts'
import { problem } from '../contract/problems.ts'
import { ClientGone } from './client-gone.ts'
import type { Bill, Order, OrderedModel } from './order.ts'
import { Spending } from './spending.ts'

const GONE = new ClientGone()
const LIKELY: Bill = { cost: 0.2 }

test('a caller who leaves after the request was written pays for it', () => {
  const { spending, order } = ordered({ hasLeft: true })
  order.failed(GONE)
  assert.deepEqual(paid(spending), [0.2, true])
})

test('a provider that the gateway gives up is paid, although its caller waits', () => {
  for (const kind of ['headers_timeout', 'first_token_timeout', 'idle_timeout'] as const) {
    const { spending, order } = ordered()
    order.failed(new WireFailure(kind))
    assert.deepEqual([order.end, ...paid(spending)], ['left', 0.2, true], kind)
  }
})

test('what the gateway could not do with an answer does not make the order free', () => {
  for (const error of [problem('unavailable'), new TypeError('a fault of ours')]) {
    const { spending, order } = ordered()
    order.failed(error)
    assert.deepEqual(paid(spending), [0.2, true], String(error))
  }
})

test('an answer that had begun with a good status is paid, although it broke off or cannot be read', () => {
  const errors = [
    ...(['reset', 'protocol', 'tls'] as const).map((kind) => new WireFailure(kind)),
    ...(['cut', 'unreadable'] as const).map((kind) => new UpstreamProblem(kind, 'nonsense')),
  ]
  for (const error of errors) {
    const { spending, order } = ordered()
    order.report.status = 200
    order.failed(error)
    assert.deepEqual([order.end, ...paid(spending)], ['left', 0.2, true], error.message)
  }
})

test('an error that comes with a good status is a refusal, and so is what is no answer', () => {
  for (const kind of ['server_error', 'overloaded', 'rate_limited', 'content_policy', 'garbage', 'empty'] as const) {
    const { spending, order } = ordered()
    order.report.status = 200
    order.failed(new UpstreamProblem(kind, 'no'))
    assert.deepEqual([order.end, ...paid(spending)], ['refused', 0, false], kind)
  }
})

test('nothing is paid if nothing was written, the connection broke before the answer, or the provider refused', () => {
  const refusal = new UpstreamProblem('bad_request', 'no', { status: 400 })
  const free: [ReturnType<typeof ordered>, unknown][] = [
    [ordered({ isWritten: false, hasLeft: true }), GONE],
    [ordered({ isWritten: false }), new TypeError('a fault of ours')],
    [ordered(), new WireFailure('reset')],
    [ordered({ status: 500 }), new WireFailure('reset')],
    [ordered({ hasLeft: true }), refusal],
  ]
  for (const [{ spending, order }, error] of free) {
    order.failed(error)
    assert.deepEqual([order.end, ...paid(spending)], ['refused', 0, false], String(error))
  }
})

test('the first end of an order counts, and what is still open when the call ends was left', () => {
  const ends: Record<string, (order: Order) => void> = {
    delivered: (order) => order.delivered({ cost: 0.5 }),
    refused: (order) => order.refused(),
    left: (order) => order.left(),
    'handed over': (order) => order.handedOver(),
  }
  for (const [name, end] of Object.entries(ends)) {
    const { spending, order } = ordered()
    end(order)
    const before = paid(spending)
    for (const other of Object.values(ends)) other(order)
    spending.close()
    assert.deepEqual([order.end, paid(spending)], [name, before])
  }
  const { spending, order } = ordered()
  spending.close()
  assert.deepEqual([order.end, ...paid(spending)], ['left', 0.2, true])
})

test('orders add up, and one whose cost is not known makes the whole unknown', () => {
  const { spending, order, another } = ordered()
  another().delivered({ cost: 0.1 })
  order.left()
  assert.deepEqual(paid(spending), [0.3, true])
  assert.deepEqual(spending.answered, { cost: 0.1, estimated: false, tokens: null, tokensAreEstimated: false })
  another().left(billOfWorst(fixedCost(null)))
  assert.equal(spending.total.cost, null)
})

test('a free provider bills nothing, which is no estimate', () => {
  const { spending, order } = ordered({ model: { id: 'p/m', provider: { id: 'p', free: true } } })
  order.left()
  assert.deepEqual(paid(spending), [0, false])
})

test('an order without a likely bill costs nothing if it is left', () => {
  const { spending, order } = ordered({ likelyBill: () => undefined })
  order.left()
  assert.deepEqual([order.end, ...paid(spending)], ['refused', 0, false])
})

test('after the end of a call nothing can be ordered, because no ledger line would have it', () => {
  const { spending, another } = ordered()
  spending.close()
  assert.throws(another, /has ended/)
  assert.throws(() =>
    spending.part({ isAside: true }).order({ model: MODEL, attempt: Symbol(), likelyBill: () => LIKELY }),
  )
})

test('a part knows what its own orders have cost, also those of its parts, and nothing exact of an estimate', () => {
  const { spending, order } = ordered()
  order.delivered({ cost: 1 })
  const [one, other] = [spending.part({ part: Symbol() }), spending.part({ part: Symbol() })]
  assert.equal(one.costOfPart, 0)
  orderIn(one).delivered({ cost: 0.25 })
  orderIn(one.part({ isAside: true })).delivered({ cost: 0.5 })
  const open = orderIn(other)
  assert.deepEqual([one.costOfPart, other.costOfPart], [0.75, null])
  open.left()
  assert.equal(other.costOfPart, null)
})

function orderIn(spending: Spending): Order {
  const report = { ...newSendReport(), isWritten: true }
  return spending.order({ model: MODEL, attempt: Symbol(), likelyBill: () => LIKELY }, report)
}

const MODEL: OrderedModel = { id: 'p/m', provider: { id: 'p' } }

type Scene = {
  model?: OrderedModel
  isWritten?: boolean
  status?: number
  hasLeft?: boolean
  likelyBill?: () => Bill | undefined
}

function ordered({ model = MODEL, isWritten = true, status, hasLeft = false, likelyBill = () => LIKELY }: Scene = {}) {
  const spending = new Spending(hasLeft ? AbortSignal.abort(GONE) : new AbortController().signal)
  const report = { ...newSendReport(), isWritten, status: status ?? null }
  const another = () => spending.order({ model, attempt: Symbol(), likelyBill }, { ...report })
  return { spending, order: another(), another }
}

function paid(spending: Spending): [number | null, boolean] {
  const { cost, estimated } = spending.total
  return [cost, estimated]
}
