import { Problem } from '../contract/problems.ts'
import type { UniversalRequest } from '../contract/universal.ts'
import type { Caller } from '../tenants/access/caller.ts'
import { withPolicyOfToday } from '../tenants/access/policy-of-today.ts'
import type { Labels } from '../calls/labels.ts'
import { COPIES_OF_BODY, type MemoryLease } from '../calls/memory-budget.ts'
import type { CallServices } from '../calls/services/call-services.ts'
import { type ClaimedJob, readRequest } from '../platform/store/jobs/job-runs.ts'
import { type Owner, ownerOf } from '../platform/store/owner.ts'
import { parseWritten } from '../translation/json/written-numbers.ts'

/** The request of a task. `submittedBy` is the span that submitted it, `countedBy` are the limits that counted that. */
export type JobRequest = {
  body: UniversalRequest
  caller: Caller
  labels: Labels
  submittedBy?: string
  countedBy?: readonly string[]
}

type Opening = { memory: MemoryLease; signal: AbortSignal; services: CallServices }

/**
 * Loads the request of a job. Memory for a large request is reserved before it is read, and it is parsed in a turn of the
 * event loop of its own.
 */
export async function openRequest<Request extends { caller: Caller } = JobRequest>(
  job: ClaimedJob,
  { memory, signal, services }: Opening,
): Promise<Request> {
  if (job.request !== undefined) return await ofToday(job.request as Request, job, services)
  await holdUntilFree(memory, job.requestChars * COPIES_OF_BODY, signal)
  const text = await readRequest(services.db, job.id)
  await services.loopSlot(job.owner)
  const request = parseWritten(text) as Request
  await services.loopSlot(job.owner)
  return await ofToday(request, job, services)
}

/**
 * What the project and the key forbid by now is forbidden for a job that was accepted before. Its row says whose it is: it goes along
 * if its key or its project moves, and what it stores belongs where it is then.
 */
async function ofToday<Request extends { caller: Caller }>(
  request: Request,
  job: Owner,
  { db }: Pick<CallServices, 'db'>,
) {
  return { ...request, caller: { ...(await withPolicyOfToday(request.caller, db)), ...ownerOf(job) } }
}

/** No client waits on a connection for a job, so where a request would be refused, a job waits until its own deadline. */
async function holdUntilFree(memory: MemoryLease, bytes: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await memory.hold(bytes, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Problem && error.code === 'overloaded')) throw error
    }
  }
}
