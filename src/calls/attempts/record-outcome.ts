import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { Attempt } from './attempt.ts'
import { REFUSED_KEY_MS } from './circuits.ts'
import { circuitName, credentialsOf, hasCircuits } from './credentials.ts'
import { FAILURES, type Failure, reasonOf } from './failures.ts'

/** How long a rate-limited key is left alone if its provider does not say. */
const RATE_LIMITED_KEY_MS = 1_000

export function recordBegin({ target, credential, requester, services: { circuits } }: Attempt): void {
  if (circuits.isQuiet || !hasCircuits(target.provider)) return
  circuits.begin(circuitName(target, credential.index), requester)
}

export function recordSuccess(attempt: Attempt): void {
  const { target, credential, requester, services } = attempt
  const { circuits } = services
  if (!isFirstVerdict(attempt) || circuits.isQuiet || !hasCircuits(target.provider)) return
  circuits.succeeded(circuitName(target, credential.index), requester)
}

/**
 * The attempt ended before it showed whether the target is healthy. The next call finds out. Says nothing about an attempt whose
 * success or failure is recorded.
 */
export function recordAbandoned(attempt: Attempt): void {
  const { target, credential, requester, services } = attempt
  const { circuits } = services
  if (!isFirstVerdict(attempt) || circuits.isQuiet || !hasCircuits(target.provider)) return
  circuits.undecided(circuitName(target, credential.index), requester)
}

/** Records what a failure says about the target, for the calls that follow. */
export function recordFailure(attempt: Attempt, failure: Failure): void {
  const { target, credential, isLast, requester, services } = attempt
  const { provider } = target
  if (!isFirstVerdict(attempt) || !hasCircuits(provider)) return
  const { circuits } = services
  const circuit = circuitName(target, credential.index)
  const { kind: because } = failure
  // A credential is only rested if another one can replace it: the refusal may have been about this one request.
  const isOneOfMany = credentialsOf(target).length > 1
  if (because === 'rate_limited' && isOneOfMany)
    circuits.coolDown(circuit, requester, { because, forMs: restOf(failure) })
  else if (because === 'auth' && isOneOfMany) circuits.coolDown(circuit, requester, { because, forMs: REFUSED_KEY_MS })
  else if (!FAILURES[because].unhealthy) circuits.reached(circuit, requester)
  else {
    const isShortened = !isLast && SHORTENED_LIMITS.has(because)
    circuits.failed(circuit, requester, { because, isShortened, address: provider.baseUrl })
  }
}

function isFirstVerdict({ verdict }: Attempt): boolean {
  if (verdict.isGiven) return false
  verdict.isGiven = true
  return true
}

/** The stream of the latest attempt broke off after it had begun. */
export function noteBroken({ target, startedAt, call, services }: Attempt, failure: Failure): void {
  const durationMs = services.monotonic() - startedAt
  call.record.brokeOff({ outcome: failure.kind, reason: reasonOf(failure, target), durationMs })
}

/** Time limits that are shorter because the caller named another target: the provider may not be too slow for others. */
const SHORTENED_LIMITS: ReadonlySet<string> = new Set(['first_token_timeout', 'headers_timeout'])

function restOf(failure: Failure): number {
  const requested = failure instanceof UpstreamProblem ? failure.retryAfterSeconds : undefined
  return requested === undefined ? RATE_LIMITED_KEY_MS : Math.min(requested * 1_000, REFUSED_KEY_MS)
}
