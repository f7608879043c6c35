import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Call } from '../call.ts'
import type { Bill, Order } from '../order.ts'
import { fixedCost } from '../../money/limits/worst-case.ts'
import { Reservation } from '../../money/limits/reservation.ts'
import { problem } from '../../contract/problems.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import { Metrics } from '../../platform/telemetry/metrics.ts'
import { openOrder } from './attempt.ts'
import { Circuits } from './circuits.ts'
import { callWith, target } from './fixtures/play-targets.ts'
import { Observations } from './observations.ts'
import { RetryBudget } from './retry-budget.ts'
import { type RunServices, runCall } from './run-call.ts'

const BILL: Bill = { cost: 0.5 }
const BUG = new TypeError('a fault of ours')

type Scene = { likelyBills: readonly (() => Bill)[]; present?: () => string; tracing?: RunServices['tracing'] }

/** A call with some orders that are never ended, and all that has to end with it. */
async function run({ likelyBills, present = () => 'answer', tracing }: Scene) {
  const call = callWith(new AbortController().signal)
  const traced: Call = tracing ? { ...call, trace: { inner: [] } as unknown as NonNullable<Call['trace']> } : call
  const ended: string[] = []
  const lines: LedgerLine[] = []
  const reservation = new Reservation({ processName: 'test', overran() {}, settled() {} })
  reservation.settle = () => {
    ended.push('reservation')
    return null
  }
  call.spending.reserveWith(() => reservation)
  call.time.holds(async () => void ended.push('time'))
  const orders: Order[] = []
  const services: RunServices = {
    now: () => 0,
    monotonic: () => 0,
    backOffMs: () => 0,
    sleep: async () => {},
    metrics: new Metrics(),
    spendLimits: { reserve: () => undefined, payFrom: () => {} },
    circuits: new Circuits(() => 0),
    retries: new RetryBudget({ toBeginWith: 0 }),
    observations: new Observations(() => 0),
    inFlight: { follow: () => ({ changed() {}, ended: () => void ended.push('in flight') }) },
    ledger: { record: (line) => void lines.push(line) },
    tracing,
  }
  const answer = await runCall(
    () => ({
      targets: [target('p/m')],
      worstCase: () => fixedCost(0),
      isCustomized: () => false,
      ask: async (attempt) => {
        for (const likelyBill of likelyBills) {
          const order = openOrder(attempt, likelyBill)
          order.report.isWritten = true
          orders.push(order)
        }
      },
      present,
    }),
    traced,
    services,
  ).catch((error: unknown) => error)
  return { answer, ended: ended.sort(), lines, ends: orders.map(({ end }) => end) }
}

const ALL = ['in flight', 'reservation', 'time']

test('a call whose cost cannot be estimated is closed all the same: its cost is unknown, and its caller is told of the fault', async () => {
  const broken = () => {
    throw BUG
  }
  const { answer, ended, lines, ends } = await run({ likelyBills: [() => BILL, broken, () => BILL] })
  assert.deepEqual([answer, ended, ends], [BUG, ALL, ['left', 'left', 'left']])
  assert.deepEqual(
    lines.map(({ cost, estimated, status, code }) => [cost, estimated, status, code]),
    [[null, true, 500, 'internal_error']],
  )
})

test('a call whose answer cannot be presented, or whose span cannot be sent, is closed all the same', async () => {
  const refused = problem('content_blocked')
  const scenes: [Omit<Scene, 'likelyBills'>, unknown, number][] = [
    [{ present: () => assert.fail(refused) }, refused, refused.status],
    [{ present: () => assert.fail(BUG) }, BUG, 500],
    [{ tracing: { ended: () => assert.fail(BUG) } }, BUG, 200],
  ]
  for (const [scene, told, status] of scenes) {
    const { answer, ended, lines } = await run({ ...scene, likelyBills: [() => BILL] })
    assert.deepEqual([answer, ended], [told, ALL])
    assert.deepEqual(
      lines.map((line) => [line.cost, line.status]),
      [[0.5, status]],
    )
  }
})
