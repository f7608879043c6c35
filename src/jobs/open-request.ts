import { Problem } from '../contract/problems.ts'
import type { UniversalRequest } from '../contract/universal.ts'
import type { Caller } from '../core/caller.ts'
import { COPIES_OF_BODY, type MemoryLease } from '../core/memory-budget.ts'
import type { Outside } from '../core/outside.ts'
import { type ClaimedJob, readRequest } from '../store/job-runs.ts'

export type JobRequest = { body: UniversalRequest; caller: Caller }

type Opening = { memory: MemoryLease; signal: AbortSignal; outside: Outside }

/** What a job is to do. A large one is counted before it is read, and parsed in a turn of the event loop of its own. */
export async function openRequest(job: ClaimedJob, { memory, signal, outside }: Opening): Promise<JobRequest> {
  if (job.request !== undefined) return job.request as JobRequest
  await holdPatiently(memory, job.requestChars * COPIES_OF_BODY, signal)
  const text = await readRequest(outside.keyDesk.db, job.id)
  await outside.ownTurn(job.owner)
  const request = JSON.parse(text) as JobRequest
  await outside.ownTurn(job.owner)
  return request
}

/** Nobody waits for a job: it goes on waiting where a request would be refused, until its own deadline. */
async function holdPatiently(memory: MemoryLease, bytes: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await memory.hold(bytes, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Problem && error.code === 'overloaded')) throw error
    }
  }
}
