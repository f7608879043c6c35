import type { Call } from '../calls/call.ts'
import type { SpendLimits } from '../limits/spend-limits.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Circuits } from './circuits.ts'
import type { ChosenCredential } from './credentials.ts'
import type { AttemptTarget } from './failures.ts'
import type { Observations } from './observations.ts'
import type { RetryBudget } from './retry-budget.ts'

/** One try at one target with one credential. */
export type Attempt<Target = AttemptTarget, Context = AttemptServices> = PlannedAttempt<Target, Context> & {
  readonly credential: ChosenCredential
  /** How many tokens of each answer a budget can still pay for; undefined if there is no reason to write fewer than the caller asked for. */
  readonly maxOutput?: number | undefined
  /** On the monotonic clock. */
  readonly startedAt: number
}

/** A target that is about to be tried, before one of its credentials is chosen. */
export type PlannedAttempt<Target = AttemptTarget, Context = AttemptServices> = {
  readonly target: Target
  /** Whether no other target is left. A target that is not the last one gets less time to begin its answer. */
  readonly isLast: boolean
  /** The caller has waited already, so the target is asked once, whatever the settings say. */
  readonly asksOnce?: boolean | undefined
  readonly call: Call
  readonly context: Context
}

/** What attempts need from the application: its memory of failures, its clock, and its counters. */
export type AttemptServices = {
  circuits: Circuits
  retries: RetryBudget
  observations: Observations
  metrics: Metrics
  /** Budgets and rate limits: every attempt is admitted before it is sent. */
  spendLimits: Pick<SpendLimits, 'admit'>
  monotonic(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
  backOffMs(retries: number): number
}
