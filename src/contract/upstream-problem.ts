export type ProblemKind =
  | 'auth'
  | 'bad_request'
  | 'conflict'
  | 'content_policy'
  | 'context_length'
  | 'empty'
  | 'garbage'
  | 'model_not_found'
  | 'overloaded'
  | 'rate_limited'
  | 'server_error'
  | 'timeout'
  | 'too_large'
  | 'cut'

/** The provider answered, but not with what was asked for. */
export class UpstreamProblem extends Error {
  readonly kind: ProblemKind
  readonly status: number | undefined
  readonly code: string | undefined
  readonly param: string | undefined
  retryAfterSeconds: number | undefined

  constructor(kind: ProblemKind, message: string, more: { status?: number; code?: string; param?: string } = {}) {
    super(message)
    this.kind = kind
    this.status = more.status
    this.code = more.code
    this.param = more.param
  }
}
