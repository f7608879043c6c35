import { CONTEXT_OVERFLOW, openaiWords } from '../../translation/wire/context-overflow.ts'
import { type Problem, type ProblemCode, type ProblemDetails, problem } from '../../contract/problems.ts'
import { type FailureKind, WireFailure } from '../../translation/wire/wire.ts'
import { redacted } from '../../base/redaction/redacted.ts'
import { type ProblemKind, UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { ReasonGuard } from '../call-record.ts'
import type { Retirement } from '../retirement.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import type { Region } from '../../platform/providers/provider.ts'
import { providerSecrets } from './provider-secrets.ts'

const ANTHROPIC_OVERLOAD = 529
const NOT_FOUND = 404
const GONE = 410

/** The part of a target that attempts need. */
export type AttemptTarget = {
  id: string
  provider: Provider
  /** The name of the only credential that it may use. */
  credential?: string | undefined
  /** The name of its circuits, if the same model is also called at another address. */
  circuit?: string | undefined
  /** The region that its name demands. */
  demanded?: Region | undefined
  /** How often it is asked again, if an alias says so. */
  retries?: number | undefined
  entry?: Retirement | undefined
}

export type Failure = WireFailure | UpstreamProblem

/** A target has answered, but the answer is of no use to this call. That is no failure of the target. */
export class UselessAnswer extends Error {}

/**
 * What follows when a target fails. `retry`: ask the same target again after a wait if it has a retry left; without a setting
 * only the last target has one, because a fallback is faster than a wait. `next credential`: ask at once with another key of the
 * same provider; if there is none, do the same as `next target`.
 */
export type Next = 'retry' | 'next credential' | 'next target' | 'stop'

type Rule = {
  next: Next
  /** The failure shows that the target is unhealthy. Five of these in a row open its circuit. */
  unhealthy: boolean
  /** The error that the caller gets if no target is left. */
  tell: ProblemCode | 'as it is'
  when: string
}

/** Whether this word is a line of the table below. */
export function isFailureKind(word: string): boolean {
  return Object.hasOwn(FAILURES, word)
}

/** The table of all failures. The docs print it. */
export const FAILURES: Record<FailureKind | ProblemKind, Rule> = {
  refused: rule('retry', 'upstream_error', 'the connection was refused, or broke while it was opened', 'unhealthy'),
  // The request was sent, and may be at work: the provider would do it and bill it twice.
  reset: rule('next target', 'upstream_error', 'the connection broke before the answer, or within it', 'unhealthy'),
  dns: rule('retry', 'upstream_error', "the provider's name could not be resolved", 'unhealthy'),
  tls: rule('next target', 'upstream_error', 'the TLS connection failed', 'unhealthy'),
  proxy: rule('retry', 'upstream_error', 'the outbound proxy did not open the connection', 'unhealthy'),
  protocol: rule('next target', 'upstream_error', 'the answer was not valid HTTP', 'unhealthy'),
  connect_timeout: rule('next target', 'upstream_timeout', 'the connection was not open within the limit', 'unhealthy'),
  // This says nothing about the provider. Another provider has connections of its own.
  exhausted: rule('next target', 'overloaded', 'the gateway has no connection left for the provider'),
  // A silent provider is not asked again: it would probably be silent again, and the caller has waited long enough.
  headers_timeout: rule('next target', 'upstream_timeout', 'the answer did not begin within the limit', 'unhealthy'),
  first_token_timeout: rule(
    'next target',
    'upstream_timeout',
    'the first token of a stream did not arrive within the limit',
    'unhealthy',
  ),
  idle_timeout: rule('next target', 'upstream_timeout', 'the answer stopped in the middle', 'unhealthy'),
  timeout: rule('retry', 'upstream_timeout', 'the provider answered 408, 504, 522 or 524', 'unhealthy'),
  conflict: rule('retry', 'upstream_error', 'the provider answered 409 or 423'),
  too_early: rule('retry', 'upstream_error', 'the provider answered 425'),
  rate_limited: rule('next credential', 'rate_limited', 'the provider answered 429'),
  overloaded: rule(
    'retry',
    'overloaded',
    'the provider answered 503 or 529, or reported overload in the first event of a stream',
    'unhealthy',
  ),
  server_error: rule('retry', 'upstream_error', 'the provider answered 424, 499 or another 5xx status', 'unhealthy'),
  garbage: rule('retry', 'upstream_error', 'the answer could not be read', 'unhealthy'),
  empty: rule('retry', 'upstream_error', 'the answer was empty', 'unhealthy'),
  cut: rule('retry', 'upstream_error', 'the answer ended before it was complete', 'unhealthy'),
  // The provider bills a task that it has answered, and would bill it again. A fallback is the caller's own wish.
  unreadable: rule(
    'next target',
    'upstream_error',
    'the answer to a task (`/v3/universal-ai`) could not be read, was empty or ended early: the provider has billed it',
    'unhealthy',
  ),
  auth: rule(
    'next credential',
    'upstream_auth',
    'the provider answered 401, 402, 403, 432, 433, 456 or 498 to the credential of the gateway',
  ),
  model_not_found: rule('next target', 'as it is', 'the provider has no such model, or no longer (404, 410)'),
  // The caller chose neither the method nor the path nor the headers, and cannot change them. Another provider may answer.
  rejected: rule('next target', 'upstream_error', 'the provider answered with another 4xx status, such as 405 or 451'),
  // Redirects are not followed: the credential would go to another address.
  unexpected_status: rule(
    'next target',
    'upstream_error',
    'the provider answered with a redirect, or with a status that HTTP does not have',
    'unhealthy',
  ),
  // The same model would refuse again. Another one may have a longer context.
  context_length: rule('next target', 'as it is', 'the prompt is too long for the model'),
  // The request itself is wrong, so another model would refuse it too.
  bad_request: rule('stop', 'as it is', 'the provider answered 400 or 422'),
  content_policy: rule('stop', 'as it is', "the provider's policy refused the content"),
  too_large: rule('stop', 'as it is', 'the provider answered 413'),
}

function rule(next: Next, tell: Rule['tell'], when: string, unhealthy?: 'unhealthy'): Rule {
  return { next, tell, when, unhealthy: unhealthy === 'unhealthy' }
}

export function isFailure(error: unknown): error is Failure {
  return error instanceof WireFailure || error instanceof UpstreamProblem
}

/**
 * The caller's error: it has the provider's reason, without the provider's address or our credential, if the guardrails of the call let
 * all of it pass.
 */
export function toProblem(failure: Failure, target: AttemptTarget, guards: readonly ReasonGuard[]): Problem {
  if (guards.length === 0 || !(failure instanceof UpstreamProblem)) return problemOf(failure, target)
  const { message, code = '', param = '' } = failure
  const words = [message, code, param].map((text) => redactedFor(text, target))
  const passes = guards.every((guard) => guard.passesReason(words))
  return problemOf(passes ? failure : withoutWords(failure, target), target)
}

/** The same failure without anything that the provider has written. */
function withoutWords({ kind, status, code, retryAfterSeconds }: UpstreamProblem, { provider }: AttemptTarget) {
  const about = status === undefined ? kind : `${kind}, status ${status}`
  const left = new UpstreamProblem(kind, `${provider.name} failed (${about}). A guardrail keeps back the reason.`, {
    ...(status !== undefined && { status }),
    // Clients shorten the conversation when they see it.
    ...(code === CONTEXT_OVERFLOW && { code }),
  })
  left.retryAfterSeconds = retryAfterSeconds
  return left
}

function problemOf(failure: Failure, target: AttemptTarget): Problem {
  const { tell } = FAILURES[failure.kind]
  const reason = redactedFor(failure.message, target)
  if (failure instanceof UpstreamProblem && tell === 'as it is') return asItIs(failure, reason, target)
  const code = tell === 'as it is' ? 'upstream_error' : tell
  return problem(code, {
    message: tell === 'upstream_auth' ? authMessage(target) : `${target.id}: ${reason}`,
    ...retryAfter(failure),
    ...limitOf(failure),
    ...overloadOf(failure),
    ...(COMES_AGAIN.has(failure.kind) && { headers: { 'x-should-retry': 'false' } }),
  })
}

/** The same request would get the same status, so that SDKs need not send it again. */
const COMES_AGAIN: ReadonlySet<string> = new Set<ProblemKind>(['rejected', 'unexpected_status'])

/** Why a target failed, for operators, without our credentials and addresses. */
export function reasonOf(failure: Failure, target: AttemptTarget): string {
  return redactedFor(failure.message, target)
}

/** A provider's 400, 404, 413 and 422 are passed on with the provider's own message: they are about the caller's request. */
function asItIs(failure: UpstreamProblem, message: string, target: AttemptTarget): Problem {
  const param = failure.param === undefined ? null : redactedFor(failure.param, target)
  const isOverflow = failure.code === CONTEXT_OVERFLOW
  const text = isOverflow ? openaiWords(message) : message
  const details: ProblemDetails = { message: text, param, code: redactedFor(failure.code ?? failure.kind, target) }
  // Some providers send this error with status 200, and too long a prompt with 413 or 422.
  const isOfCaller = failure.status && failure.status >= 400 && failure.status < 500
  const status = isOfCaller && !isOverflow ? failure.status : 400
  // A model that is gone is told like one that never was.
  return problem('upstream_error', {
    ...details,
    status: status === GONE ? NOT_FOUND : status,
    type: 'invalid_request_error',
  })
}

/** Clients of the messages format tell an overload of the provider from an error by this status. */
function overloadOf(failure: Failure): ProblemDetails {
  const isOverload = failure instanceof UpstreamProblem && failure.status === ANTHROPIC_OVERLOAD
  return isOverload ? { statusInMessages: ANTHROPIC_OVERLOAD } : {}
}

/** Which time limit was exceeded, so that the operator knows which one to change. */
function limitOf({ kind }: Failure): ProblemDetails {
  return kind.endsWith('_timeout') ? { limit: kind.replace(/_timeout$/, '') } : {}
}

function retryAfter(failure: Failure): ProblemDetails {
  if (failure.kind === 'exhausted') return { retryAfterSeconds: 1 }
  if (!(failure instanceof UpstreamProblem)) return {}
  const seconds =
    failure.retryAfterSeconds ?? (failure.kind === 'rate_limited' || failure.kind === 'overloaded' ? 1 : undefined)
  return seconds === undefined ? {} : { retryAfterSeconds: seconds }
}

/** A provider's message about our credential may quote the credential, so the caller gets our own message. */
function authMessage({ provider }: AttemptTarget): string {
  return `${provider.name} refused the gateway's credential or its account. The operator of the gateway has to check ${provider.auth.env ?? 'it'}.`
}

function redactedFor(text: string, { provider }: AttemptTarget): string {
  return redacted(text, { secrets: providerSecrets(provider), baseUrl: provider.baseUrl })
}
