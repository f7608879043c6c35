import type { UniversalJob, UniversalResponse } from '../../../../src/contract/universal.ts'
import { getJson, pathTo, postJson } from '../../../api/client.ts'
import { type Answered, factsIn } from '../run/use-runs.ts'
import type { Who } from '../who/who-fields.tsx'

const FIRST_WAIT_MS = 300
const LONGEST_WAIT_MS = 5_000

export type TaskBody = { model: string; input: Record<string, unknown> }

export async function runTask(body: TaskBody, who: Who, signal: AbortSignal): Promise<Answered<unknown>> {
  const answer = await postJson('/admin/playground/universal-ai', { query: who, body, signal })
  const { status, output, cost, error } = (await answer.json()) as UniversalResponse
  if (status === 'fail') throw new Error(error?.message ?? 'The task failed.')
  return { result: output, cost, request: factsIn(answer).request }
}

/** For tasks that take long: the job is asked about until it has ended. The job itself goes on if the console stops asking. */
export async function runJob(body: TaskBody, who: Who, signal: AbortSignal): Promise<Answered<unknown>> {
  const submitted = await postJson('/admin/playground/universal-ai/async', { query: who, body, signal })
  let job = (await submitted.json()) as UniversalJob
  for (let ms = FIRST_WAIT_MS; job.status === 'processing'; ms = Math.min(ms * 1.5, LONGEST_WAIT_MS)) {
    await pause(ms, signal)
    const path = pathTo('/admin/playground/universal-ai/async/{job_id}', { job_id: job.job_id })
    job = await getJson(path, who, signal)
  }
  if (job.status === 'fail') throw new Error(job.error?.message ?? 'The task failed.')
  return { result: job.output, cost: job.cost, request: job.job_id }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}
