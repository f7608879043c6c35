import type { Problem } from '../contract/problems.ts'
import type { FinishedRun } from '../platform/store/jobs/job-runs.ts'

/** How an execution ended. Fields that a failure omits keep the values of the request. */
export type JobOutcome = Success | Failure

type Success = {
  status: 'success'
  /** What is written together with the end. */
  also?: FinishedRun['also']
  output: unknown
  /** The provider's own answer. */
  original?: unknown
  provider: string
  model: string | null
}

type Failure = {
  status: 'fail'
  /** What its owner sees of a failure, if that is more than an error. */
  output?: unknown
  /** A sentence for the owner of the job, without hosts or keys. */
  error: string
  /** What the ledger names as the reason. */
  reason?: Problem
  original?: unknown
  provider?: string
  model?: string | null
}
