import type { InFlightCall } from '../../money/billing/in-flight.ts'
import { type Call, failureOf } from '../call.ts'
import { closeCall, type ClosingServices, lineIfInterrupted } from '../close-call.ts'
import type { AttemptTarget } from './failures.ts'
import type { CallPlan, Ending, PlanServices } from './plan.ts'
import { tryTargets } from './try-targets.ts'

export type RunServices = PlanServices & ClosingServices

/**
 * The life of every call: its plan is made, its targets are asked one after the other (each attempt reserves what it can use, orders
 * and pays), the answer is presented, and the call is closed. The ledger line is written however it ends.
 */
export async function runCall<Target extends AttemptTarget, Services extends RunServices, Reply, Answer>(
  plan: () => CallPlan<Target, Services, Reply, Answer> | Promise<CallPlan<Target, Services, Reply, Answer>>,
  call: Call,
  services: Services,
): Promise<Answer> {
  const ending = endingOf(call, services)
  try {
    const making = plan()
    // Nearly always there is nothing to wait for.
    const made = making instanceof Promise ? await making : making
    const answered = await tryTargets(made, call, services)
    const answer = await made.present(answered, ending)
    if (!made.endsItself) ending.close()
    return answer
  } catch (error) {
    throw ending.fail(error)
  }
}

/** The same for a call that consists of parts, each with a plan of its own, and of work of the gateway. */
export async function runParts<Answer>(
  work: () => Promise<Answer>,
  call: Call,
  services: ClosingServices,
): Promise<Answer> {
  const ending = endingOf(call, services)
  try {
    const answer = await work()
    ending.close()
    return answer
  } catch (error) {
    throw ending.fail(error)
  }
}

/** The same for a call that consists of turns, and that its answer ends when it has been read. */
export async function runTurns<Answer>(
  work: (ending: Ending) => Promise<Answer>,
  call: Call,
  services: ClosingServices,
): Promise<Answer> {
  const ending = endingOf(call, services)
  try {
    return await work(ending)
  } catch (error) {
    throw ending.fail(error)
  }
}

/** One turn of a call: what asks for it goes on afterwards, and ends the call. */
export async function runTurn<Target extends AttemptTarget, Services extends PlanServices, Reply, Answer>(
  plan: CallPlan<Target, Services, Reply, Answer>,
  call: Call,
  services: Services,
): Promise<Answer> {
  const answered = await tryTargets(plan, call, services)
  return await plan.present(answered, { close: () => {}, fail: (error) => failureOf(call, error) })
}

/**
 * Calls are closed here and nowhere else. One that failed before its life began (a job that was stopped, a response whose request was
 * refused) is recorded as failed by the code that ran it.
 */
function endingOf(call: Call, services: ClosingServices): Ending {
  let isClosed = false
  const inFlight = follow(call, services)
  const close = () => {
    if (isClosed) return
    isClosed = true
    try {
      closeCall(call, services)
    } finally {
      inFlight?.ended()
    }
  }
  return {
    close,
    fail: (error) => {
      const reason = failureOf(call, error)
      if (isClosed) return reason
      call.record.failed(reason)
      close()
      return reason
    },
  }
}

/**
 * If the process dies, the call has a ledger line all the same. Jobs are followed until their end is stored (`followExecution`). A call that
 * reads what the batch of a provider has answered is made again, with the same id.
 */
function follow(call: Call, services: ClosingServices): InFlightCall | undefined {
  if (call.isJob || call.batch?.answer) return undefined
  const inFlight = services.inFlight.follow(call.id, () => lineIfInterrupted(call, services))
  call.spending.whenChanged(inFlight.changed)
  return inFlight
}
