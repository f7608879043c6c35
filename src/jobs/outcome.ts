import type { Problem } from '../contract/problems.ts'

/** How an execution ended. Fields that a failure omits keep the values of the request. */
export type Outcome = Success | Failure

export type Success = {
  status: 'success'
  output: unknown
  /** The provider's own answer. */
  original?: unknown
  cost: number | null
  provider: string
  model: string | null
}

export type Failure = {
  status: 'fail'
  /** A sentence for the owner of the job, without hosts or keys. */
  error: string
  /** What the ledger names as the reason. */
  reason?: Problem
  original?: unknown
  cost?: number | null
  provider?: string
  model?: string | null
}
