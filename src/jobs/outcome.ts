/** How an execution ended. What is left out of a failure stays as it was asked for. */
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
  /** A sentence for the owner of the job: no hosts, no keys. */
  error: string
  original?: unknown
  cost?: number | null
  provider?: string
  model?: string | null
}
