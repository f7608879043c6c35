import { Problem } from '../contract/problems.ts'
import { type ProblemKind, UpstreamProblem } from '../wire/upstream-problem.ts'
import type { Call } from '../calls/call.ts'
import { isOwnDoing, REFUSED_KEY_MS, type Requester } from './circuits.ts'
import { type ChosenCredential, chooseCredential, circuitName, hasCircuits } from './credentials.ts'
import { type AttemptTarget, FAILURES, type Failure, isFailure, toProblem } from './failures.ts'
import { observeFailure } from './observe.ts'
import type { AttemptServices } from './attempt-services.ts'

const MAX_RETRIES = 2
/** A provider that wants us to wait longer than this is left at once. */
const MAX_WAIT_MS = 30_000
/** A provider that does not say how long to leave its key alone. */
const RATE_LIMITED_KEY_MS = 1_000

/** What a target is asked with: one of its provider's credentials, and whether another target could answer instead. */
export type AttemptContext = { credential: ChosenCredential; isLast: boolean }
export type Ask<Target, Reply> = (target: Target, attemptContext: AttemptContext) => Promise<Reply>

/** Who answered, with which of its credentials, and who is left to ask should the answer break. */
export type Answered<Target, Reply> = { target: Target; credential: number; left: readonly Target[]; reply: Reply }

/** Asks one target after the other until one answers, each when what it needs is `ready`. The table in failures.ts says what follows when one does not. */
export async function attempt<Target extends AttemptTarget, Reply>(
  targets: readonly Target[],
  call: Call,
  context: AttemptServices,
  ask: Ask<Target, Reply>,
  ready?: (target: Target) => Promise<void> | undefined,
): Promise<Answered<Target, Reply>> {
  context.retries.request(call.caller.owner)
  let lastProblem: unknown
  for (let index = 0; index < targets.length; index++) {
    const target = targets[index]!
    const isLast = index === targets.length - 1
    try {
      // Not the target's time, nor its fault.
      const waiting = ready?.(target)
      if (waiting) await waiting
      const { reply, credential } = await tryTarget(target, isLast, call, context, ask)
      return { target, credential, left: targets.slice(index + 1), reply }
    } catch (error) {
      if (call.signal.aborted) throw error
      // What one wire cannot carry (a kind of file, a forced tool) another may; where one did fail, its failure is the news.
      if (error instanceof Problem && error.status < 500 && (lastProblem || !isLast)) continue
      if (!isFailure(error)) throw error
      lastProblem = toProblem(error, target)
      if (FAILURES[error.kind].next === 'stop') break
    }
  }
  throw lastProblem
}

/** One target, as often as it makes sense: with its other credentials, and again after a wait where no other is left. */
export async function tryTarget<Target extends AttemptTarget, Reply>(
  target: Target,
  isLast: boolean,
  call: Call,
  context: AttemptServices,
  ask: Ask<Target, Reply>,
): Promise<{ reply: Reply; credential: number }> {
  const { circuits } = context
  let refused: Set<number> | undefined
  let failure: Failure | undefined
  for (let retries = 0; ; ) {
    const credential = chooseCredential(target, call, circuits, refused)
    if (!credential) throw failure ?? allCoolingDown(target, call, context)
    const startedAt = context.now()
    call.model = target.id
    call.provider = target.provider.id
    if (!circuits.isQuiet && hasCircuits(target.provider))
      circuits.begin(circuitName(target.id, credential.index), call)
    try {
      const reply = await ask(target, { credential, isLast })
      // A stream has only begun: whether the target is well is seen at its end.
      if (!call.stream) recordSuccess(target, credential.index, call, context)
      note(target, 'answered', startedAt, call, context)
      return { reply, credential: credential.index }
    } catch (error) {
      failure = classify(error, { target, credential, isLast, startedAt, call, context })
    }
    if (FAILURES[failure.kind].next === 'next credential' && hasOthers(target, refused)) {
      refused = (refused ?? new Set()).add(credential.index)
      if (context.retries.take(call.caller.owner)) continue
    }
    const wait = waitBefore(failure, retries, context)
    if (!isLast || wait === undefined || retries >= MAX_RETRIES) throw failure
    if (!context.retries.take(call.caller.owner)) throw failure
    retries++
    refused = undefined
    await context.sleep(wait, call.signal)
  }
}

export function recordSuccess(
  { id, provider }: AttemptTarget,
  credential: number,
  call: Requester,
  { circuits }: AttemptServices,
): void {
  if (!circuits.isQuiet && hasCircuits(provider)) circuits.succeeded(circuitName(id, credential), call)
}

/** Nothing was learned: whoever comes next sees whether the target is well. */
export function recordAbandoned(
  { id, provider }: AttemptTarget,
  credential: number,
  call: Requester,
  { circuits }: AttemptServices,
): void {
  if (!circuits.isQuiet && hasCircuits(provider)) circuits.undecided(circuitName(id, credential), call)
}

function hasOthers({ provider }: AttemptTarget, refused: ReadonlySet<number> | undefined): boolean {
  return (refused?.size ?? 0) + 1 < provider.credentials.length
}

type Failed = {
  target: AttemptTarget
  credential: ChosenCredential
  isLast: boolean
  startedAt: number
  call: Call
  context: AttemptServices
}

/** A failure of the target, written down for those who come after. Anything else is thrown on. */
function classify(error: unknown, failed: Failed): Failure {
  const { target, credential, startedAt, call, context } = failed
  // A caller who left wants no other model either.
  if (call.signal.aborted || !isFailure(error)) {
    recordAbandoned(target, credential.index, call, context)
    if (call.signal.aborted) note(target, 'abandoned', startedAt, call, context)
    throw call.signal.aborted ? call.signal.reason : error
  }
  note(target, error.kind, startedAt, call, context)
  recordFailure(error, { ...failed, credential: credential.index })
  if (FAILURES[error.kind].unhealthy && !isOwnDoing(error.kind, call)) observeFailure(target, call, context)
  return error
}

type FailureRecord = {
  target: AttemptTarget
  /** The place of the credential that it was asked with. */
  credential: number
  /** Whether no other target is left: with another one, less time is given. */
  isLast: boolean
  call: Requester
  context: AttemptServices
}

/** What a failure says about the target, for those who come after. */
export function recordFailure(failure: Failure, { target, credential, isLast, call, context }: FailureRecord): void {
  const { provider } = target
  if (!hasCircuits(provider)) return
  const { circuits } = context
  const circuit = circuitName(target.id, credential)
  const { kind: because } = failure
  // A credential is set aside only where another can take its place: the words may have been about one request.
  const isOneOfMany = provider.credentials.length > 1
  if (because === 'rate_limited' && isOneOfMany) circuits.coolDown(circuit, call, { because, forMs: restOf(failure) })
  else if (because === 'auth' && isOneOfMany) circuits.coolDown(circuit, call, { because, forMs: REFUSED_KEY_MS })
  else if (!FAILURES[because].unhealthy) circuits.reached(circuit, call)
  else {
    const isImpatience = !isLast && IMPATIENCE.has(because)
    circuits.failed(circuit, call, { because, isImpatience, address: provider.baseUrl })
  }
}

/** What a provider may be too slow for only because the caller named another target. */
const IMPATIENCE: ReadonlySet<string> = new Set(['first_token_timeout', 'headers_timeout'])

function restOf(failure: Failure): number {
  const requested = failure instanceof UpstreamProblem ? failure.retryAfterSeconds : undefined
  return requested === undefined ? RATE_LIMITED_KEY_MS : Math.min(requested * 1_000, REFUSED_KEY_MS)
}

/** Milliseconds to wait before the same target is asked again; undefined when it should not be. */
function waitBefore(failure: Failure, retries: number, { backOffMs }: AttemptServices): number | undefined {
  const { next } = FAILURES[failure.kind]
  if (next !== 'retry' && failure.kind !== 'rate_limited') return undefined
  const requested = failure instanceof UpstreamProblem ? failure.retryAfterSeconds : undefined
  if (requested === undefined) return backOffMs(retries)
  return requested * 1_000 > MAX_WAIT_MS ? undefined : Math.max(requested * 1_000, backOffMs(retries))
}

/** All of its credentials are set aside, or its circuit is open: nobody is called, and the caller hears why. */
function allCoolingDown(target: AttemptTarget, call: Requester, { circuits }: AttemptServices): Failure {
  const places = Math.max(1, target.provider.credentials.length)
  const coolDowns = Array.from({ length: places }, (_, index) =>
    circuits.coolDownOf(circuitName(target.id, index), call),
  )
  const soonest = coolDowns.reduce((one, other) => (other.forMs < one.forMs ? other : one))
  const failure = new UpstreamProblem(KIND_OF_COOL_DOWN[soonest.because] ?? 'overloaded', COOLING_DOWN)
  failure.retryAfterSeconds = Math.max(1, Math.ceil(soonest.forMs / 1_000))
  return failure
}

const COOLING_DOWN = 'it has failed too often just now and is left alone for a moment'
const KIND_OF_COOL_DOWN: Record<string, ProblemKind> = { auth: 'auth', rate_limited: 'rate_limited' }

function note(target: AttemptTarget, outcome: string, startedAt: number, call: Call, context: AttemptServices) {
  const durationMs = context.now() - startedAt
  call.attempts.push({ model: target.id, provider: target.provider.id, outcome, durationMs })
  context.metrics.attempted(target.provider.id, outcome)
}
