import { demandStillAllowed } from '../access/policy-of-today.ts'
import { Problem } from '../contract/problems.ts'
import { type Call, failCall, newCall } from '../calls/call.ts'
import { endCall, lineOf } from '../calls/close-call.ts'
import { labelsOf } from '../calls/labels.ts'
import { spend } from '../calls/spend.ts'
import type { AppContext, CurrentContext } from '../app/context.ts'
import { doTask, type TargetTicket } from '../universal/do-task.ts'
import { isInterrupted } from '../universal/task-poll.ts'
import { prepareTask } from '../universal/prepare-task.ts'
import { StoreUnavailable } from '../store/database.ts'
import type { ClaimedJob } from '../store/job-runs.ts'
import type { LedgerLine } from '../store/ledger/ledger-line.ts'
import { openRequest } from './open-request.ts'
import type { Outcome } from './outcome.ts'
import type { Execute } from './run-job.ts'

/**
 * A job is a task whose caller does not wait for it. It gets the same preparation and the same targets. Its ledger line is
 * written together with its end.
 */
export function executeTask(contexts: CurrentContext): Execute {
  return async (job, { signal, saveTicket, keepLine, whenEnded }) => {
    const context = contexts.current
    const memory = context.memory.lease(job.owner)
    const opened = await openRequest(job, { memory, signal, context }).catch((error) => {
      memory.close()
      throw error
    })
    const { body, caller, labels = labelsOf(body), submittedBy, countedBy } = opened
    const call = newCall({
      id: job.id,
      caller,
      endpoint: 'universal',
      startedAt: context.monotonic(),
      signal,
      wantsMetadata: false,
      memory,
      countedBy,
      trace: context.tracing?.claimed({ ...job, name: `${job.feature}/${job.subfeature}`, submittedBy }),
    })
    call.labels = labels
    call.content = context.contents.begin(caller, body)
    keepLine(() => lineNow(call, context))
    whenEnded(() => context.contents.ended(call))
    const ticket = (job.ticket ?? undefined) as TargetTicket | undefined
    try {
      demandStillAllowed(caller, 'universal')
      const prepared = await prepareTask(body, call, context)
      if (job.request === undefined) await context.loopSlot(job.owner)
      const { target, result } = await doTask(prepared, call, context, { ticket, saveTicket, survives: true })
      const { output, original } = result
      return { status: 'success', output, original, cost: call.cost, provider: target.provider.id, model: target.model }
    } catch (error) {
      if (ticket?.value !== undefined && !(error instanceof StoreUnavailable)) payUnlessAsked(call)
      return failed(error, job, call)
    } finally {
      memory.close()
      endCall(call, context)
    }
  }
}

/** The line of a call that has ended, or that is being interrupted. */
function lineNow(call: Call, clock: AppContext): LedgerLine {
  if (call.signal.aborted && call.status === 200) failCall(call, call.signal.reason)
  return lineOf(call, clock)
}

/**
 * An earlier execution has ordered something that this one could not even ask for: it was refused before, or cancelled. What
 * that has cost is unknown, unless another execution goes on.
 */
function payUnlessAsked(call: Call): void {
  if (call.model !== null || isInterrupted(call.signal)) return
  spend(call, null)
  call.estimated = true
}

/** A Problem becomes the job's error, which its owner may read. Any other error is left to the worker. */
function failed(error: unknown, { provider }: ClaimedJob, call: Call): Outcome {
  const reason = failCall(call, error)
  call.signal.throwIfAborted()
  if (!(reason instanceof Problem)) throw reason
  return { status: 'fail', error: reason.message, cost: call.cost, provider: call.provider ?? provider }
}
