import { Problem } from '../contract/problems.ts'
import { type ProblemKind, UpstreamProblem } from '../contract/upstream-problem.ts'
import type { Call } from './call.ts'
import { isOwnDoing, REFUSED_KEY_MS, type Requester } from './circuits.ts'
import { type ChosenCredential, chooseCredential, circuitName, hasCircuits } from './credentials.ts'
import { type AskedTarget, FAILURES, type Failure, isFailure, toProblem } from './failures.ts'
import { observeFailure } from './observe.ts'
import type { Outside } from './outside.ts'

const MOST_RETRIES = 2
/** A provider that wants us to wait longer than this is left at once. */
const MOST_WAIT_MS = 30_000
/** A provider that does not say how long to leave its key alone. */
const RATE_LIMITED_KEY_MS = 1_000

/** What a target is asked with: one of its provider's credentials, and whether another target could answer instead. */
export type Chance = { credential: ChosenCredential; isLast: boolean }
export type Ask<Target, Reply> = (target: Target, chance: Chance) => Promise<Reply>

/** Who answered, with which of its credentials, and who is left to ask should the answer break. */
export type Answered<Target, Reply> = { target: Target; credential: number; left: readonly Target[]; reply: Reply }

/** Asks one target after the other until one answers, each when what it needs is `ready`. The table in failures.ts says what follows when one does not. */
export async function attempt<Target extends AskedTarget, Reply>(
  targets: readonly Target[],
  call: Call,
  outside: Outside,
  ask: Ask<Target, Reply>,
  ready?: (target: Target) => Promise<void> | undefined,
): Promise<Answered<Target, Reply>> {
  outside.retries.request(call.caller.owner)
  let told: unknown
  for (let index = 0; index < targets.length; index++) {
    const target = targets[index]!
    const isLast = index === targets.length - 1
    try {
      // Not the target's time, nor its fault.
      const waiting = ready?.(target)
      if (waiting) await waiting
      const { reply, credential } = await persist(target, isLast, call, outside, ask)
      return { target, credential, left: targets.slice(index + 1), reply }
    } catch (error) {
      if (call.signal.aborted) throw error
      // What one wire cannot carry (a kind of file, a forced tool) another may; where one did fail, its failure is the news.
      if (error instanceof Problem && error.status < 500 && (told || !isLast)) continue
      if (!isFailure(error)) throw error
      told = toProblem(error, target)
      if (FAILURES[error.kind].next === 'stop') break
    }
  }
  throw told
}

/** One target, as often as it makes sense: with its other credentials, and again after a wait where no other is left. */
export async function persist<Target extends AskedTarget, Reply>(
  target: Target,
  isLast: boolean,
  call: Call,
  outside: Outside,
  ask: Ask<Target, Reply>,
): Promise<{ reply: Reply; credential: number }> {
  const { circuits } = outside
  let refused: Set<number> | undefined
  let failure: Failure | undefined
  for (let retries = 0; ; ) {
    const credential = chooseCredential(target, call, circuits, refused)
    if (!credential) throw failure ?? allAside(target, call, outside)
    const startedAt = outside.now()
    call.model = target.id
    call.provider = target.provider.id
    if (!circuits.isQuiet && hasCircuits(target.provider))
      circuits.begin(circuitName(target.id, credential.index), call)
    try {
      const reply = await ask(target, { credential, isLast })
      // A stream has only begun: whether the target is well is seen at its end.
      if (!call.stream) wasWell(target, credential.index, call, outside)
      note(target, 'answered', startedAt, call, outside)
      return { reply, credential: credential.index }
    } catch (error) {
      failure = understood(error, { target, credential, isLast, startedAt, call, outside })
    }
    if (FAILURES[failure.kind].next === 'next credential' && hasOthers(target, refused)) {
      refused = (refused ?? new Set()).add(credential.index)
      if (outside.retries.take(call.caller.owner)) continue
    }
    const wait = waitBefore(failure, retries, outside)
    if (!isLast || wait === undefined || retries >= MOST_RETRIES) throw failure
    if (!outside.retries.take(call.caller.owner)) throw failure
    retries++
    refused = undefined
    await outside.sleep(wait, call.signal)
  }
}

export function wasWell(
  { id, provider }: AskedTarget,
  credential: number,
  call: Requester,
  { circuits }: Outside,
): void {
  if (!circuits.isQuiet && hasCircuits(provider)) circuits.succeeded(circuitName(id, credential), call)
}

/** Nothing was learned: whoever comes next sees whether the target is well. */
export function wasLeft(
  { id, provider }: AskedTarget,
  credential: number,
  call: Requester,
  { circuits }: Outside,
): void {
  if (!circuits.isQuiet && hasCircuits(provider)) circuits.undecided(circuitName(id, credential), call)
}

function hasOthers({ provider }: AskedTarget, refused: ReadonlySet<number> | undefined): boolean {
  return (refused?.size ?? 0) + 1 < provider.credentials.length
}

type Failed = {
  target: AskedTarget
  credential: ChosenCredential
  isLast: boolean
  startedAt: number
  call: Call
  outside: Outside
}

/** A failure of the target, written down for those who come after. Anything else is thrown on. */
function understood(error: unknown, failed: Failed): Failure {
  const { target, credential, startedAt, call, outside } = failed
  // A caller who left wants no other model either.
  if (call.signal.aborted || !isFailure(error)) {
    wasLeft(target, credential.index, call, outside)
    if (call.signal.aborted) note(target, 'abandoned', startedAt, call, outside)
    throw call.signal.aborted ? call.signal.reason : error
  }
  note(target, error.kind, startedAt, call, outside)
  learn(error, { ...failed, credential: credential.index })
  if (FAILURES[error.kind].ill && !isOwnDoing(error.kind, call)) observeFailure(target, call, outside)
  return error
}

type Learned = {
  target: AskedTarget
  /** The place of the credential that it was asked with. */
  credential: number
  /** Whether no other target is left: with another one, less time is given. */
  isLast: boolean
  call: Requester
  outside: Outside
}

/** What a failure says about the target, for those who come after. */
export function learn(failure: Failure, { target, credential, isLast, call, outside }: Learned): void {
  const { provider } = target
  if (!hasCircuits(provider)) return
  const { circuits } = outside
  const circuit = circuitName(target.id, credential)
  const { kind: because } = failure
  // A credential is set aside only where another can take its place: the words may have been about one request.
  const isOneOfMany = provider.credentials.length > 1
  if (because === 'rate_limited' && isOneOfMany) circuits.setAside(circuit, call, { because, forMs: restOf(failure) })
  else if (because === 'auth' && isOneOfMany) circuits.setAside(circuit, call, { because, forMs: REFUSED_KEY_MS })
  else if (!FAILURES[because].ill) circuits.reached(circuit, call)
  else {
    const isImpatience = !isLast && IMPATIENCE.has(because)
    circuits.failed(circuit, call, { because, isImpatience, address: provider.baseUrl })
  }
}

/** What a provider may be too slow for only because the caller named another target. */
const IMPATIENCE: ReadonlySet<string> = new Set(['first_token_timeout', 'headers_timeout'])

function restOf(failure: Failure): number {
  const asked = failure instanceof UpstreamProblem ? failure.retryAfterSeconds : undefined
  return asked === undefined ? RATE_LIMITED_KEY_MS : Math.min(asked * 1_000, REFUSED_KEY_MS)
}

/** Milliseconds to wait before the same target is asked again; undefined when it should not be. */
function waitBefore(failure: Failure, retries: number, { backOffMs }: Outside): number | undefined {
  const { next } = FAILURES[failure.kind]
  if (next !== 'retry' && failure.kind !== 'rate_limited') return undefined
  const asked = failure instanceof UpstreamProblem ? failure.retryAfterSeconds : undefined
  if (asked === undefined) return backOffMs(retries)
  return asked * 1_000 > MOST_WAIT_MS ? undefined : Math.max(asked * 1_000, backOffMs(retries))
}

/** All of its credentials are set aside, or its circuit is open: nobody is called, and the caller hears why. */
function allAside(target: AskedTarget, call: Requester, { circuits }: Outside): Failure {
  const places = Math.max(1, target.provider.credentials.length)
  const asides = Array.from({ length: places }, (_, index) => circuits.aside(circuitName(target.id, index), call))
  const soonest = asides.reduce((one, other) => (other.forMs < one.forMs ? other : one))
  const failure = new UpstreamProblem(KIND_OF_ASIDE[soonest.because] ?? 'overloaded', ASIDE)
  failure.retryAfterSeconds = Math.max(1, Math.ceil(soonest.forMs / 1_000))
  return failure
}

const ASIDE = 'it has failed too often just now and is left alone for a moment'
const KIND_OF_ASIDE: Record<string, ProblemKind> = { auth: 'auth', rate_limited: 'rate_limited' }

function note(target: AskedTarget, outcome: string, startedAt: number, call: Call, outside: Outside) {
  const durationMs = outside.now() - startedAt
  call.attempts.push({ model: target.id, provider: target.provider.id, outcome, durationMs })
  outside.metrics.attempted(target.provider.id, outcome)
}
