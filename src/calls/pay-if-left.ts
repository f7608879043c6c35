import { toTokens } from '../billing/token-buckets.ts'
import type { WorstCase } from '../limits/worst-case.ts'
import { toDollars } from '../store/ledger/money.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import { type FailureKind, WireFailure } from '../wire/wire.ts'
import type { Call } from './call.ts'
import type { LikelyBill } from './call-spending.ts'
import { notePaid, spend } from './spend.ts'

/** Who was asked. */
type Asked = { id: string; provider: { free?: boolean | undefined } }

/**
 * A caller who leaves, or whose time is over, does not keep the provider from doing what it was asked for. Otherwise whoever
 * leaves early would pay nothing, as often as they like. What the provider bills is not known then, so it is an estimate.
 */
export function payIfLeft(call: Call, target: Asked, error: unknown, billOf: () => LikelyBill | undefined): void {
  const bill = wasLeft(call, error) ? billOf() : undefined
  if (bill) pay(call, target, bill)
}

/** Books what somebody who has left most likely costs. */
export function pay(call: Call, target: Asked, bill: LikelyBill): void {
  const cost = target.provider.free ? 0 : bill.cost
  spend(call, cost, bill.tokens)
  call.estimated ||= cost !== 0
  notePaid(call, target.id)
}

/** The same with the bill of the call's own kind. An answer that had begun and does not say what it costs has no error of its own. */
export function payForLeft(call: Call, target: Asked, error: unknown = call.signal.reason): void {
  payIfLeft(call, target, error, () => call.likelyBill?.(target as never))
}

/**
 * Whether the provider has got a request whose answer is not waited for any more: the caller has left, or the gateway has given the
 * provider up. If the provider answered with an error, it bills nothing.
 */
export function wasLeft({ signal, wire }: Pick<Call, 'signal' | 'wire'>, error: unknown): boolean {
  return wire.isWritten && (signal.aborted || isGivenUp(error)) && !(error instanceof UpstreamProblem)
}

const GIVEN_UP: ReadonlySet<string> = new Set<FailureKind>(['headers_timeout', 'first_token_timeout', 'idle_timeout'])

function isGivenUp(error: unknown): boolean {
  return error instanceof WireFailure && GIVEN_UP.has(error.kind)
}

/** What was ordered once is paid once, however many ask for its bill. */
export function once<Target>(billOf: (target: Target) => LikelyBill): (target: Target) => LikelyBill | undefined {
  let isPaid = false
  return (target) => {
    if (isPaid) return undefined
    isPaid = true
    return billOf(target)
  }
}

/** For a request that does not say what it costs: as much as was reserved for it. */
export function billOfWorst({ usd, inputTokens, outputTokens }: WorstCase): LikelyBill {
  const tokens = toTokens({ prompt_tokens: inputTokens, completion_tokens: outputTokens })
  return { cost: usd === null ? null : toDollars(usd), tokens }
}
