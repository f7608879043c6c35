import type { Call } from '../call.ts'
import type { Bill, LikelyBill, Order, OrderDetails, OrderedModel } from '../order.ts'
import type { SpendLimits } from '../../money/limits/spend-limits.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { type AttemptSpan, newSendReport } from '../../translation/wire/wire.ts'
import type { Circuits, Requester } from './circuits.ts'
import type { ChosenCredential } from './credentials.ts'
import type { AttemptTarget } from './failures.ts'
import type { Observations } from './observations.ts'
import type { RetryBudget } from './retry-budget.ts'

/** One try at one target with one credential. */
export type Attempt<Target = AttemptTarget, Services = AttemptServices> = PlannedAttempt<Target, Services> & {
  readonly credential: ChosenCredential
  /** How many tokens of each answer a budget can still pay for; undefined if there is no reason to write fewer than the caller asked for. */
  readonly maxOutput?: number | undefined
  /** On the monotonic clock. */
  readonly startedAt: number
  /** The model that limits were asked about, and that its orders are for. */
  readonly orderedModel: OrderedModel
  /** Tells its orders from those of other attempts. */
  readonly key: symbol
  /** Its requests to the provider so far. */
  readonly orders: Order[]
  /**
   * Whether its circuit was told how it ended. The first that tells it counts. `comesLater`: the answer has only begun, and what reads
   * it tells its end.
   */
  readonly verdict: { isGiven: boolean; comesLater?: boolean }
  /** The id of its span, and what the provider is told about the trace; null if calls are not traced, or it is told nothing. */
  readonly span: AttemptSpan
}

/** A target that is about to be tried, before one of its credentials is chosen. */
export type PlannedAttempt<Target = AttemptTarget, Services = AttemptServices> = {
  readonly target: Target
  /** Whether no other target is left. A target that is not the last one gets less time to begin its answer. */
  readonly isLast: boolean
  /** The caller has waited already, so the target is asked once, whatever the settings say. */
  readonly asksOnce?: boolean | undefined
  readonly requester: Requester
  readonly call: Call
  readonly services: Services
}

/** What attempts need from the application: its memory of failures, its clock, and its counters. */
export type AttemptServices = {
  circuits: Circuits
  retries: RetryBudget
  observations: Observations
  metrics: Metrics
  /** Budgets and rate limits: what every attempt needs is reserved before it is sent. */
  spendLimits: Pick<SpendLimits, 'reserve' | 'payFrom'>
  monotonic(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
  backOffMs(retries: number): number
}

/** What an order needs to know of its attempt. */
export type Ordering = Pick<Attempt, 'call' | 'orderedModel' | 'key' | 'orders' | 'span'>

/**
 * Opens the order for a request of this attempt. `likelyBill` is what it costs if the call does not wait for its answer any
 * more.
 */
export function openOrder(
  { call, orderedModel, key, orders, span }: Ordering,
  likelyBill: LikelyBill,
  billMoments?: OrderDetails['billMoments'],
): Order {
  const order = call.spending.order({ model: orderedModel, attempt: key, likelyBill, billMoments }, newSendReport(span))
  orders.push(order)
  return order
}

/** One request: its reply is paid for as `billOf` says, and if it is left, as `likelyBill` says. */
export async function inOneOrder<Reply>(
  attempt: Ordering,
  { likelyBill, billMoments, ask, billOf }: OneOrder<Reply>,
): Promise<Reply> {
  const order = openOrder(attempt, likelyBill, billMoments)
  try {
    const reply = await ask(order)
    order.delivered(billOf(reply))
    return reply
  } catch (error) {
    order.failed(error)
    throw error
  }
}

type OneOrder<Reply> = Pick<OrderDetails, 'likelyBill' | 'billMoments'> & {
  ask(order: Order): Promise<Reply>
  billOf(reply: Reply): Bill
}
