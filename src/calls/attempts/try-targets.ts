import { Problem } from '../../contract/problems.ts'
import { type ProblemKind, UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { type Call, failureOf } from '../call.ts'
import type { Order } from '../order.ts'
import type { Cases } from '../../money/limits/spend-limits.ts'
import type { Attempt, AttemptServices, PlannedAttempt } from './attempt.ts'
import { beginAttempt, noteAttempt } from './begin-attempt.ts'
import { readBatchAnswer } from './read-batch-answer.ts'
import { isOwnDoing, type Requester } from './circuits.ts'
import { chooseCredential, circuitName, credentialsOf } from './credentials.ts'
import {
  type AttemptTarget,
  FAILURES,
  type Failure,
  isFailure,
  reasonOf,
  toProblem,
  UselessAnswer,
} from './failures.ts'
import { observeFailure } from './observe.ts'
import type { Answered, AskPlan, PlanServices } from './plan.ts'
import { recordAbandoned, recordFailure, recordSuccess } from './record-outcome.ts'

/** For a target without a fallback. */
const DEFAULT_RETRIES = 1
/** If a provider wants us to wait longer than this, we move on at once. */
const MAX_WAIT_MS = 30_000

/**
 * Asks one target after the other until one answers; the table in failures.ts says what follows a failure. `remaining` are the
 * targets that could continue if the answer breaks off.
 */
export async function tryTargets<Target extends AttemptTarget, Services extends PlanServices, Reply>(
  plan: AskPlan<Target, Services, Reply>,
  call: Call,
  services: Services,
): Promise<Answered<Target, Services, Reply>> {
  if (services.dryRun) return await services.dryRun.read(plan, call, services)
  const batchAnswer = call.isPart ? undefined : call.batch?.answer
  if (batchAnswer?.isUnread) return await readBatchAnswer(plan, batchAnswer, { call, services })
  const { targets, ready } = plan
  const requester = requesterOf(plan, call)
  services.retries.request(call.caller.owner)
  let latest: (() => Problem) | undefined
  for (let index = 0; index < targets.length; index++) {
    const target = targets[index]!
    const isLast = index === targets.length - 1
    try {
      // This comes before the attempt: the target is not to blame for the time that it takes, or for its failure.
      const waiting = ready?.(target)
      if (waiting) await waiting
      const { attempt, reply } = await tryTarget({ target, isLast, requester, call, services }, plan)
      return { attempt, reply, remaining: targets.slice(index + 1) }
    } catch (error) {
      if (call.signal.aborted) throw error
      // Another target may accept what this one cannot (a kind of file, a forced tool). An earlier failure is reported first.
      if (error instanceof Problem && error.status < 500 && (latest || !isLast)) continue
      if (!isFailure(error)) throw error
      latest = () => toProblem(error, target, call.record.reasonGuards)
      if (FAILURES[error.kind].next === 'stop') break
    }
  }
  throw latest?.()
}

export function requesterOf({ isCustomized }: Pick<AskPlan, 'isCustomized'>, { caller }: Call): Requester {
  return { caller, isCustomized }
}

/**
 * Tries one target as often as it makes sense: with its other credentials, and again after a wait if it has retries. Each try
 * reserves the most that it can use, and asks.
 */
export async function tryTarget<Target extends AttemptTarget, Services extends AttemptServices, Reply>(
  planned: PlannedAttempt<Target, Services>,
  plan: Omit<AskPlan<Target, Services, Reply>, 'targets' | 'isCustomized'>,
): Promise<Pick<Answered<Target, Services, Reply>, 'attempt' | 'reply'>> {
  const { target, requester, call, services } = planned
  const allowed = retriesOf(planned, plan.retries)
  const stickyTarget = withAffinity(target, plan.affinity)
  let refused: Set<number> | undefined
  let failure: Failure | undefined
  const ordersOfAttempts: Order[][] = []
  try {
    for (let retries = 0; ; ) {
      const credential = chooseCredential(stickyTarget, requester, services.circuits, refused)
      if (!credential) throw failure ?? allCoolingDown(planned)
      const reserving = reserve(planned, plan, failure)
      // Nearly always there is nothing to wait for.
      const reserved = reserving instanceof Promise ? await reserving : reserving
      const attempt = beginAttempt(planned, credential, reserved?.maxOutput)
      ordersOfAttempts.push(attempt.orders)
      const paidBefore = call.spending.paidOrders
      try {
        const reply = await plan.ask(attempt)
        // A stream has only begun: its end shows whether the target is healthy.
        if (!call.record.isStream && !attempt.verdict.comesLater) recordSuccess(attempt)
        noteAttempt(attempt, 'answered')
        return { attempt, reply }
      } catch (error) {
        failure = failureIn(attempt, error)
      }
      const isNextCredential = mayTakeNextCredential(failure, planned, refused)
      const wait = isNextCredential || retries >= allowed ? undefined : waitBefore(failure, retries, planned)
      const isTriedAgain = isNextCredential || wait !== undefined
      // Work that is still going on at the provider is continued by the next try, and paid if another target takes over.
      const isGoingOn = attempt.orders.some(({ isOpen }) => isOpen)
      if (call.spending.paidOrders === paidBefore && (isTriedAgain || !isGoingOn)) reserved?.reuse()
      if (isNextCredential) refused = (refused ?? new Set()).add(credential.index)
      else if (wait === undefined) throw failure
      else {
        retries++
        refused = undefined
        await services.sleep(wait, call.signal)
      }
    }
  } catch (error) {
    // If another target answers, what this one has delivered is not part of the answer.
    for (const order of ordersOfAttempts.flat()) order.discard()
    throw error
  }
}

/** Whether another credential of the same target is asked at once. */
function mayTakeNextCredential(
  { kind }: Failure,
  { target, call, services }: PlannedAttempt,
  refused: ReadonlySet<number> | undefined,
): boolean {
  if (FAILURES[kind].next !== 'next credential' || !hasOthers(target, refused)) return false
  return services.retries.take(call.caller.owner)
}

/** A conversation stays with one credential. Most providers have only one. */
function withAffinity(target: AttemptTarget, affinity: (() => number) | undefined) {
  if (!affinity || target.provider.credentials.length < 2) return target
  const { id, provider, circuit, credential } = target
  return { id, provider, circuit, credential, affinity }
}

/** The caller's wish comes first, then what the alias or the config file says. A fallback is faster than a wait. */
function retriesOf({ target, isLast, asksOnce, call }: PlannedAttempt, wish: number | undefined): number {
  if (asksOnce || call.isSentAgain) return 0
  return wish ?? target.retries ?? (isLast ? DEFAULT_RETRIES : 0)
}

/** No attempt without its reservation. If another attempt has failed before, its failure is what the caller is told. */
function reserve<Target extends AttemptTarget>(
  { target, call, services }: PlannedAttempt<Target>,
  cases: Cases<Target>,
  failure: Failure | undefined,
) {
  try {
    const { caller, endpoint, signal, countedBy, spending, record } = call
    const limited = { caller, endpoint, signal, countedBy, spending, labels: record.labels }
    const reserved = services.spendLimits.reserve(limited, target, cases)
    if (!(reserved instanceof Promise) || !failure) return reserved
    return reserved.catch((error) => {
      throw error instanceof Problem ? failure : error
    })
  } catch (error) {
    throw failure && error instanceof Problem ? failure : error
  }
}

function hasOthers(target: AttemptTarget, refused: ReadonlySet<number> | undefined): boolean {
  return (refused?.size ?? 0) + 1 < credentialsOf(target).length
}

/** Returns a failure of the target after recording it. Throws any other error. */
function failureIn(attempt: Attempt, error: unknown): Failure {
  const { target, requester, call, services } = attempt
  // A caller who has left does not want another model either.
  if (call.signal.aborted || !isFailure(error)) {
    recordAbandoned(attempt)
    if (call.signal.aborted) noteAttempt(attempt, 'abandoned')
    else if (wasAsked(attempt)) noteAttempt(attempt, 'abandoned', reasonOfGivingUp(error))
    throw failureOf(call, error)
  }
  noteAttempt(attempt, error.kind, reasonOf(error, target))
  recordFailure(attempt, error)
  if (FAILURES[error.kind].unhealthy && !isOwnDoing(error.kind, requester)) observeFailure(target, call, services)
  return error
}

/** What a provider was asked for may have to be paid, whatever became of its answer. */
function wasAsked({ orders }: Attempt): boolean {
  return orders.some(({ report }) => report.isWritten)
}

/** Other errors are for the log of the operator, because they may say anything. */
function reasonOfGivingUp(error: unknown): string | null {
  return error instanceof Problem || error instanceof UselessAnswer ? error.message : null
}

/** Milliseconds to wait before the same target is asked again; undefined if it should not be asked again. */
function waitBefore(failure: Failure, retries: number, { call, services }: PlannedAttempt): number | undefined {
  const { next } = FAILURES[failure.kind]
  if (next !== 'retry' && failure.kind !== 'rate_limited') return undefined
  const requested = failure instanceof UpstreamProblem ? failure.retryAfterSeconds : undefined
  if (requested !== undefined && requested * 1_000 > MAX_WAIT_MS) return undefined
  const wait = Math.max((requested ?? 0) * 1_000, services.backOffMs(retries))
  if (services.monotonic() + wait >= call.time.endsAt || !services.retries.take(call.caller.owner)) return undefined
  return wait
}

/** All of the target's credentials are cooling down, or its circuit is open: no provider is called, and the caller learns why. */
function allCoolingDown({ target, requester, services: { circuits } }: PlannedAttempt): Failure {
  const coolDowns = credentialsOf(target).map(({ index }) => circuits.coolDownOf(circuitName(target, index), requester))
  const soonest = coolDowns.reduce((one, other) => (other.forMs < one.forMs ? other : one))
  const failure = new UpstreamProblem(KIND_OF_COOL_DOWN[soonest.because] ?? 'overloaded', COOLING_DOWN)
  failure.retryAfterSeconds = Math.max(1, Math.ceil(soonest.forMs / 1_000))
  return failure
}

const COOLING_DOWN = 'it has failed repeatedly, so the gateway pauses it for a moment'
const KIND_OF_COOL_DOWN: Record<string, ProblemKind> = { auth: 'auth', rate_limited: 'rate_limited' }
