import { Problem } from '../contract/problems.ts'
import { type ProblemKind, UpstreamProblem } from '../wire/upstream-problem.ts'
import { newTrace } from '../wire/wire.ts'
import type { Call } from '../calls/call.ts'
import type { CallTrace } from '../calls/call-trace.ts'
import { payForLeft } from '../calls/pay-if-left.ts'
import { writeTraceparent } from '../telemetry/trace-context.ts'
import { newSpanId } from '../telemetry/trace-ids.ts'
import type { Attempt, AttemptServices, PlannedAttempt } from './attempt.ts'
import { isOwnDoing } from './circuits.ts'
import { type ChosenCredential, chooseCredential, circuitName, credentialsOf } from './credentials.ts'
import { type AttemptTarget, FAILURES, type Failure, isFailure, reasonOf, toProblem } from './failures.ts'
import { observeFailure } from './observe.ts'
import { recordAbandoned, recordBegin, recordFailure, recordSuccess } from './record-outcome.ts'

/** For a target without a fallback. */
const DEFAULT_RETRIES = 1
/** If a provider wants us to wait longer than this, we move on at once. */
const MAX_WAIT_MS = 30_000
/** Attempts of the parts of one call that are traced. */
const MAX_INNER = 32

export type Ask<Target, Context, Reply> = (attempt: Attempt<Target, Context>) => Promise<Reply>

/** The attempt that was answered, and its reply. */
export type AnsweredAttempt<Target, Context, Reply> = { attempt: Attempt<Target, Context>; reply: Reply }

type Options<Target, Context> = {
  call: Call
  context: Context
  /** Prepares what a target needs before it is asked; undefined if there is nothing to wait for. */
  ready?: ((target: Target) => Promise<void> | undefined) | undefined
}

/**
 * Asks one target after the other until one answers; the table in failures.ts says what follows a failure. `left` are the
 * targets that could continue if the answer breaks off.
 */
export async function tryTargets<Target extends AttemptTarget, Context extends AttemptServices, Reply>(
  targets: readonly Target[],
  { call, context, ready }: Options<Target, Context>,
  ask: Ask<Target, Context, Reply>,
): Promise<AnsweredAttempt<Target, Context, Reply> & { left: readonly Target[] }> {
  context.retries.request(call.caller.owner)
  let lastProblem: unknown
  for (let index = 0; index < targets.length; index++) {
    const target = targets[index]!
    const isLast = index === targets.length - 1
    try {
      // This comes before the attempt: the target is not to blame for the time that it takes, or for its failure.
      const waiting = ready?.(target)
      if (waiting) await waiting
      const { attempt, reply } = await tryTarget({ target, isLast, call, context }, ask)
      return { attempt, reply, left: targets.slice(index + 1) }
    } catch (error) {
      if (call.signal.aborted) throw error
      // Another target may accept what this one cannot (a kind of file, a forced tool). An earlier failure is reported first.
      if (error instanceof Problem && error.status < 500 && (lastProblem || !isLast)) continue
      if (!isFailure(error)) throw error
      lastProblem = toProblem(error, target)
      if (FAILURES[error.kind].next === 'stop') break
    }
  }
  throw lastProblem
}

/** Tries one target as often as it makes sense: with its other credentials, and again after a wait if it has retries. */
export async function tryTarget<Target extends AttemptTarget, Context extends AttemptServices, Reply>(
  planned: PlannedAttempt<Target, Context>,
  ask: Ask<Target, Context, Reply>,
): Promise<AnsweredAttempt<Target, Context, Reply>> {
  const { target, call, context } = planned
  const allowed = retriesOf(planned)
  const wanted = withAffinity(planned)
  let refused: Set<number> | undefined
  let failure: Failure | undefined
  for (let retries = 0; ; ) {
    const credential = chooseCredential(wanted, call, context.circuits, refused)
    if (!credential) throw failure ?? allCoolingDown(planned)
    const admitting = admitted(planned, failure)
    // Nearly always there is nothing to wait for.
    const admission = admitting instanceof Promise ? await admitting : admitting
    const attempt = begin(planned, credential, admission?.maxOutput)
    const { tokens, earlierCost } = call
    try {
      const reply = await ask(attempt)
      // A stream has only begun: its end shows whether the target is healthy.
      if (!call.stream) recordSuccess(attempt)
      note(attempt, 'answered')
      return { attempt, reply }
    } catch (error) {
      failure = failureOf(attempt, error)
    }
    if (call.tokens === tokens && call.earlierCost === earlierCost) admission?.reuse()
    if (FAILURES[failure.kind].next === 'next credential' && hasOthers(target, refused)) {
      refused = (refused ?? new Set()).add(credential.index)
      if (context.retries.take(call.caller.owner)) continue
    }
    if (retries >= allowed) throw failure
    const wait = waitBefore(failure, retries, context)
    if (wait === undefined || context.monotonic() + wait >= call.endsAt) throw failure
    if (!context.retries.take(call.caller.owner)) throw failure
    retries++
    refused = undefined
    await context.sleep(wait, call.signal)
  }
}

/** A conversation stays with one credential. Most providers have only one. */
function withAffinity({ target, call: { affinity } }: PlannedAttempt) {
  if (!affinity || target.provider.credentials.length < 2) return target
  const { id, provider, circuit, credential } = target
  return { id, provider, circuit, credential, affinity }
}

/** The caller's wish comes first, then what the alias or the config file says. A fallback is faster than a wait. */
function retriesOf({ target, isLast, asksOnce, call }: PlannedAttempt): number {
  if (asksOnce || call.isSentAgain) return 0
  return call.retries ?? target.retries ?? (isLast ? DEFAULT_RETRIES : 0)
}

/** No attempt without its reservation. If another attempt has failed before, its failure is what the caller is told. */
function admitted({ target, call, context }: PlannedAttempt, failure: Failure | undefined) {
  try {
    const admission = context.spendLimits.admit(call, target)
    if (!(admission instanceof Promise) || !failure) return admission
    return admission.catch((error) => {
      throw error instanceof Problem ? failure : error
    })
  } catch (error) {
    throw failure && error instanceof Problem ? failure : error
  }
}

function begin<Target extends AttemptTarget, Context extends AttemptServices>(
  planned: PlannedAttempt<Target, Context>,
  credential: ChosenCredential,
  maxOutput: number | undefined,
): Attempt<Target, Context> {
  const { target, call, context } = planned
  const attempt = { ...planned, credential, maxOutput, startedAt: context.monotonic() }
  call.wire = newTrace()
  if (call.trace) beginSpan(call, call.trace, target.provider.traceContext === true)
  call.model = target.id
  call.provider = target.provider.id
  call.retirement = target.entry?.retires_at === undefined ? undefined : target.entry
  recordBegin(attempt)
  return attempt
}

/** The caller's own trace headers go to nobody: a provider that is told about the trace gets the span of this attempt. */
function beginSpan({ wire }: Call, { traceId, isSampled }: CallTrace, isTold: boolean): void {
  wire.spanId = newSpanId()
  if (isTold) wire.traceparent = writeTraceparent({ traceId, spanId: wire.spanId, isSampled })
}

function hasOthers(target: AttemptTarget, refused: ReadonlySet<number> | undefined): boolean {
  return (refused?.size ?? 0) + 1 < credentialsOf(target).length
}

/** Returns a failure of the target after recording it. Throws any other error. */
function failureOf(attempt: Attempt, error: unknown): Failure {
  const { target, call, context } = attempt
  // A caller who has left does not want another model either.
  if (call.signal.aborted || !isFailure(error)) {
    recordAbandoned(attempt)
    payForLeft(call, target, error)
    if (call.signal.aborted) note(attempt, 'abandoned')
    throw call.signal.aborted ? call.signal.reason : error
  }
  note(attempt, error.kind, reasonOf(error, target))
  recordFailure(attempt, error)
  if (FAILURES[error.kind].unhealthy && !isOwnDoing(error.kind, call)) observeFailure(target, call, context)
  return error
}

function note(
  { target, credential, startedAt, call, context }: Attempt,
  outcome: string,
  reason: string | null = null,
) {
  const record = {
    model: target.id,
    provider: target.provider.id,
    outcome,
    durationMs: context.monotonic() - startedAt,
    startedAt,
    credential: credential.name ?? null,
    wire: call.wire,
    reason,
    at: target.provider,
  }
  call.attempts.push(record)
  if (call.whole && call.trace && call.trace.inner.length < MAX_INNER) call.trace.inner.push(record)
  context.metrics.attempted(target.provider.id, outcome)
}

/** Milliseconds to wait before the same target is asked again; undefined if it should not be asked again. */
function waitBefore(failure: Failure, retries: number, { backOffMs }: AttemptServices): number | undefined {
  const { next } = FAILURES[failure.kind]
  if (next !== 'retry' && failure.kind !== 'rate_limited') return undefined
  const requested = failure instanceof UpstreamProblem ? failure.retryAfterSeconds : undefined
  if (requested === undefined) return backOffMs(retries)
  return requested * 1_000 > MAX_WAIT_MS ? undefined : Math.max(requested * 1_000, backOffMs(retries))
}

/** All of the target's credentials are cooling down, or its circuit is open: nobody is called, and the caller learns why. */
function allCoolingDown({ target, call, context: { circuits } }: PlannedAttempt): Failure {
  const coolDowns = credentialsOf(target).map(({ index }) => circuits.coolDownOf(circuitName(target, index), call))
  const soonest = coolDowns.reduce((one, other) => (other.forMs < one.forMs ? other : one))
  const failure = new UpstreamProblem(KIND_OF_COOL_DOWN[soonest.because] ?? 'overloaded', COOLING_DOWN)
  failure.retryAfterSeconds = Math.max(1, Math.ceil(soonest.forMs / 1_000))
  return failure
}

const COOLING_DOWN = 'it has failed too often just now and is left alone for a moment'
const KIND_OF_COOL_DOWN: Record<string, ProblemKind> = { auth: 'auth', rate_limited: 'rate_limited' }
