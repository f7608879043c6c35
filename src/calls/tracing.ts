import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../tenants/access/caller.ts'
import type { Call } from './call.ts'
import type { CallTrace } from './call-trace.ts'

/** Turns calls into spans. It is absent if no collector is configured; nothing of it is even loaded then. */
export type Tracing = {
  /** A request of a caller. `name` is its endpoint. */
  arrived(request: ArrivedRequest): CallTrace
  /** The end of a call. Costs a few microseconds and waits for nothing. */
  ended(call: Call): void
  /** The end of a request that is no call: a list, or a refusal. */
  answered(trace: CallTrace, answer: PlainAnswer): void
  /** Records that a job is being submitted, and returns what has to be stored with it. */
  submitted(trace: CallTrace, job: TracedJob): string
  /** The execution of a job. `submittedBy` is what was stored with it. */
  claimed(job: TracedJob & { attempt: number; submittedBy: string | undefined }): CallTrace
  /** An attempt to send a webhook. */
  delivered(delivery: TracedDelivery): void
}

export type ArrivedRequest = { headers: IncomingHttpHeaders; name: string; beforeMs: number; body: unknown }

export type PlainAnswer = {
  requestId: string
  caller: Caller
  status: number
  code: string | undefined
  durationMs: number
}

export type TracedJob = { id: string; name: string }

/** `status` is null if no answer came. */
export type TracedDelivery = {
  id: string
  jobId: string
  url: string
  attempt: number
  durationMs: number
  status: number | null
}
