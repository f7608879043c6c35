import { demandStillAllowed } from '../tenants/access/policy-of-today.ts'
import { Problem } from '../contract/problems.ts'
import { runParts } from '../calls/attempts/run-call.ts'
import { isInterrupted } from '../calls/attempts/slow-work.ts'
import { type Call, newCall } from '../calls/call.ts'
import { followExecution, lineOfExecution } from '../calls/close-call.ts'
import type { CallServices } from '../calls/services/call-services.ts'
import { doTask, type JobTickets, type TargetTicket } from '../endpoints/universal/do-task.ts'
import { prepareTask } from '../endpoints/universal/prepare-task.ts'
import type { ClaimedJob } from '../platform/store/jobs/job-runs.ts'
import { newSendReport } from '../translation/wire/wire.ts'
import { openRequest } from './open-request.ts'
import type { JobOutcome } from './job-outcome.ts'
import type { Execute } from './run-job.ts'

/**
 * A job is a task whose caller does not wait for it. It gets the same preparation and the same targets. Its ledger line is
 * written together with its end.
 */
export function executeTask(current: () => CallServices): Execute {
  return async (job, { signal, saveTicket, keepLine, whenEnded }) => {
    const services = current()
    const memory = services.memory.lease(job.owner)
    const opened = await openRequest(job, { memory, signal, services }).catch((error) => {
      memory.close()
      throw error
    })
    const { body, caller, labels, submittedBy, countedBy } = opened
    const call = newCall({
      id: job.id,
      caller,
      endpoint: 'universal',
      startedAt: services.monotonic(),
      signal,
      wantsMetadata: false,
      isJob: true,
      memory,
      countedBy,
      trace: services.tracing?.claimed({ ...job, name: `${job.feature}/${job.subfeature}`, submittedBy }),
      labels,
      content: services.contents.begin(caller, body),
    })
    keepLine((endsJob) => lineOfExecution(call, services, endsJob), followExecution(call, job.attempt, services))
    whenEnded(() => services.contents.ended(call))
    const tickets = { earlier: earlierOf(job, call), save: saveTicket }
    try {
      const { target, result } = await runParts(
        async () => {
          demandStillAllowed(caller, 'universal')
          const prepared = await prepareTask(body, call, services)
          if (job.request === undefined) await services.loopSlot(job.owner)
          return await doTask(prepared, call, services, tickets)
        },
        call,
        services,
      )
      const { output, original } = result
      return { status: 'success', output, original, provider: target.provider.id, model: target.model }
    } catch (error) {
      return failed(error, job, call)
    } finally {
      memory.close()
    }
  }
}

/**
 * What an earlier execution has ordered. If this one cannot even ask for it, because it was refused before, or cancelled, its cost is
 * unknown, unless another execution goes on.
 */
export function earlierOf(
  { ticket }: Pick<ClaimedJob, 'ticket'>,
  { spending, signal }: Pick<Call, 'spending' | 'signal'>,
): JobTickets['earlier'] {
  const earlier = (ticket ?? undefined) as TargetTicket | undefined
  // Without a value it says that the targets before this one were left.
  if (earlier?.value === undefined) return earlier && { ticket: earlier }
  const model = { id: earlier.target, provider: { id: '' } }
  const likelyBill = () => (isInterrupted(signal) ? undefined : { cost: null })
  const order = spending.order(
    { model, attempt: Symbol(earlier.target), likelyBill },
    { ...newSendReport(), isWritten: true },
  )
  // Also if this execution ends before it asks for the result, and does not end the job, another one pays.
  order.gotTicket()
  return { ticket: earlier, order }
}

/** A Problem becomes the job's error, which its owner may read. Any other error is left to the worker. */
function failed(error: unknown, { provider }: ClaimedJob, { signal, record }: Call): JobOutcome {
  signal.throwIfAborted()
  if (!(error instanceof Problem)) throw error
  return { status: 'fail', error: error.message, provider: record.provider ?? provider }
}
