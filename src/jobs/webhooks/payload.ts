import type { WebhookPayload } from '../../contract/webhook.ts'

/** What a webhook says about a finished job. */
export type FinishedJob = {
  id: string
  feature: string
  subfeature: string
  provider: string
  model: string | null
  createdAt: number
  finishedAt: number
  userParameters: Record<string, unknown> | null
  result: Success | Failure
}

type Success = { status: 'success'; output: unknown } & Original
type Failure = { status: 'fail'; error: string } & Original

/** Undefined if the caller did not request it, or if a failed job has none. */
type Original = { original?: unknown }

/** A field that does not apply is omitted, not null, because receivers test for its presence. */
export function payloadOf({ result, ...job }: FinishedJob): WebhookPayload {
  return {
    event: 'async_job_completed',
    job_id: job.id,
    status: result.status,
    feature: job.feature,
    subfeature: job.subfeature,
    provider: job.provider,
    model: job.model,
    created_at: new Date(job.createdAt).toISOString(),
    finished_at: new Date(job.finishedAt).toISOString(),
    ...(result.status === 'success'
      ? { output: result.output as Record<string, unknown> }
      : { error: { message: result.error } }),
    ...(result.original === undefined ? {} : { original_response: result.original }),
    ...(job.userParameters === null ? {} : { user_parameters: job.userParameters }),
  }
}
