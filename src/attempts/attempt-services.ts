import type { Metrics } from '../telemetry/metrics.ts'
import type { Circuits } from './circuits.ts'
import type { Observations } from './observations.ts'
import type { RetryBudget } from './retry-budget.ts'

/** What attempts need of the application: its memory of failures, its clock, and its counters. */
export type AttemptServices = {
  circuits: Circuits
  retries: RetryBudget
  observations: Observations
  metrics: Metrics
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
  backOffMs(retries: number): number
}
