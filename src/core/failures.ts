import { type Problem, type ProblemCode, type ProblemDetails, problem } from '../contract/problems.ts'
import { type FailureKind, WireFailure } from '../contract/wire.ts'
import { redacted } from '../contract/redacted.ts'
import { type ProblemKind, UpstreamProblem } from '../contract/upstream-problem.ts'
import type { Provider } from '../config/provider-settings.ts'

/** As much of a target as an error about it needs. */
export type AskedTarget = { id: string; provider: Provider; credential?: string | undefined }

export type Failure = WireFailure | UpstreamProblem

/** What went wrong with a target, what follows for the next one, and what the caller is told when none is left. */
type Rule = { next: 'go on' | 'stop'; tell: ProblemCode | 'as it is' }

export const FAILURES: Record<FailureKind | ProblemKind, Rule> = {
  refused: { next: 'go on', tell: 'upstream_error' },
  reset: { next: 'go on', tell: 'upstream_error' },
  dns: { next: 'go on', tell: 'upstream_error' },
  tls: { next: 'go on', tell: 'upstream_error' },
  protocol: { next: 'go on', tell: 'upstream_error' },
  connect_timeout: { next: 'go on', tell: 'upstream_timeout' },
  headers_timeout: { next: 'go on', tell: 'upstream_timeout' },
  idle_timeout: { next: 'go on', tell: 'upstream_timeout' },
  timeout: { next: 'go on', tell: 'upstream_timeout' },
  auth: { next: 'go on', tell: 'upstream_auth' },
  conflict: { next: 'go on', tell: 'upstream_error' },
  cut: { next: 'go on', tell: 'upstream_error' },
  empty: { next: 'go on', tell: 'upstream_error' },
  garbage: { next: 'go on', tell: 'upstream_error' },
  overloaded: { next: 'go on', tell: 'overloaded' },
  rate_limited: { next: 'go on', tell: 'rate_limited' },
  server_error: { next: 'go on', tell: 'upstream_error' },
  // Another model may know the name, or hold the longer prompt.
  model_not_found: { next: 'go on', tell: 'as it is' },
  context_length: { next: 'go on', tell: 'as it is' },
  // The caller's own doing: another model would be asked for the same refused thing.
  bad_request: { next: 'stop', tell: 'as it is' },
  content_policy: { next: 'stop', tell: 'as it is' },
  too_large: { next: 'stop', tell: 'as it is' },
}

export function isFailure(error: unknown): error is Failure {
  return error instanceof WireFailure || error instanceof UpstreamProblem
}

/** What the caller is told: the provider's reason, without its address or our credential. */
export function toProblem(failure: Failure, target: AskedTarget): Problem {
  const { tell } = FAILURES[failure.kind]
  const reason = redactedFor(failure.message, target)
  if (failure instanceof UpstreamProblem && tell === 'as it is') return asItIs(failure, reason, target)
  const code = tell === 'as it is' ? 'upstream_error' : tell
  return problem(code, {
    message: tell === 'upstream_auth' ? authMessage(target) : `${target.id}: ${reason}`,
    ...retryAfter(failure),
  })
}

/** A provider's own 400, 404, 413 and 422 are the caller's business, in the provider's words. */
function asItIs(failure: UpstreamProblem, message: string, target: AskedTarget): Problem {
  const param = failure.param === undefined ? null : redactedFor(failure.param, target)
  const details: ProblemDetails = { message, param, code: redactedFor(failure.code ?? failure.kind, target) }
  const status = failure.status && failure.status < 500 ? failure.status : 400
  return problem('upstream_error', { ...details, status, type: 'invalid_request_error' })
}

function retryAfter(failure: Failure): ProblemDetails {
  if (!(failure instanceof UpstreamProblem)) return {}
  const seconds =
    failure.retryAfterSeconds ?? (failure.kind === 'rate_limited' || failure.kind === 'overloaded' ? 1 : undefined)
  return seconds === undefined ? {} : { retryAfterSeconds: seconds }
}

/** The provider's words on our credential may quote it: the caller gets ours instead. */
function authMessage({ provider }: AskedTarget): string {
  return `${provider.name} refused the gateway's credential or its account. The operator has to look at ${provider.auth.env ?? 'it'}.`
}

function redactedFor(text: string, { credential, provider }: AskedTarget): string {
  return redacted(text, { credential, baseUrl: provider.baseUrl })
}
