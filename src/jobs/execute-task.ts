import { Problem } from '../contract/problems.ts'
import { type Call, closeCall, failCall, newCall } from '../core/call.ts'
import type { Outside } from '../core/outside.ts'
import { doTask, prepareTask, type TargetTicket } from '../core/universal.ts'
import type { ClaimedJob } from '../store/job-runs.ts'
import { openRequest } from './open-request.ts'
import type { Outcome } from './outcome.ts'
import type { Execute } from './run-job.ts'

/** A job is a task that nobody waits for: the same preparation, the same targets, one ledger line. */
export function executeTask(outside: Outside): Execute {
  return async (job, { signal, saveTicket }) => {
    const memory = outside.memory.lease(job.owner)
    const { body, caller } = await openRequest(job, { memory, signal, outside }).catch((error) => {
      memory.close()
      throw error
    })
    const call = newCall({
      id: job.id,
      caller,
      endpoint: 'universal',
      startedAt: outside.now(),
      signal,
      wantsMetadata: false,
      memory,
    })
    try {
      const ticket = (job.ticket ?? undefined) as TargetTicket | undefined
      const prepared = await prepareTask(body, call, outside)
      if (job.request === undefined) await outside.ownTurn(job.owner)
      const { target, result } = await doTask(prepared, call, outside, { ticket, saveTicket, survives: true })
      const { output, original } = result
      return { status: 'success', output, original, cost: call.cost, provider: target.provider.id, model: target.model }
    } catch (error) {
      return failed(error, job, call)
    } finally {
      memory.close()
      // An execution that was broken off may be followed by another one: only what it has spent is written down.
      const isFollowed = signal.aborted && !(signal.reason instanceof Problem)
      if (!isFollowed || call.tokens) closeCall(call, outside)
    }
  }
}

/** What the owner may be told becomes the job's end; anything else is for the worker to judge. */
function failed(error: unknown, { provider }: ClaimedJob, call: Call): Outcome {
  const reason = failCall(call, error)
  call.signal.throwIfAborted()
  if (!(reason instanceof Problem)) throw reason
  return { status: 'fail', error: reason.message, cost: call.cost, provider: call.provider ?? provider }
}
