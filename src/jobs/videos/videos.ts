import { DAY_MS } from '../../base/units/units.ts'
import { type Fields, recordOf, textOf } from '../../base/schema/record.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { MemoryLease } from '../../calls/memory-budget.ts'
import { problem } from '../../contract/problems.ts'
import type { UniversalAsyncRequest } from '../../contract/universal.ts'
import type { Video, VideoList, VideoRequest } from '../../contract/videos.ts'
import { type AskedJob, findAskedJob, listAskedJobs } from '../../platform/store/jobs/asked-jobs.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import generation from '../../translation/tasks/video/generation_async/feature.ts'
import type { JobServices } from '../job-services.ts'
import { removeJob } from '../read-jobs.ts'
import { submit, type Submission } from '../submit.ts'

// Jobs of the task `video/generation_async` as OpenAI's video objects.

const { feature, subfeature } = generation
const TASK = `${feature}/${subfeature}`

type Reading = Pick<CallServices, 'db' | 'files'>

/** `submission`: everything but the task, which the request names in OpenAI's words. `image`: the id or the address of its first image. */
export async function createVideo(
  body: VideoRequest,
  submission: Omit<Submission, 'body'>,
  { caller, memory }: { caller: Caller; memory: MemoryLease },
  services: JobServices,
): Promise<{ video: Video; image: string | undefined }> {
  const { job } = await submit({ ...submission, body: taskOf(body) }, caller, memory, services)
  const found = await jobOf(job.public_id, caller, services.calls)
  return { video: toVideo(found, services.calls), image: textOf(inputOf(found).file) || undefined }
}

function taskOf(body: VideoRequest): UniversalAsyncRequest {
  const { model, prompt, seconds, size, input_reference, seed } = body
  const { provider_params, webhook_receiver, user_webhook_parameters } = body
  const file = input_reference?.file_id ?? input_reference?.image_url
  return {
    model: model.startsWith(`${TASK}/`) ? model : `${TASK}/${model}`,
    input: {
      text: prompt,
      ...(file !== undefined && { file }),
      ...(seconds != null && { duration: Number(seconds) }),
      ...(size != null && { dimension: size }),
      ...(seed != null && { seed }),
    },
    provider_params,
    webhook_receiver,
    user_webhook_parameters,
  }
}

export async function findVideo(id: string, caller: Caller, services: Reading): Promise<Video> {
  return toVideo(await jobOf(id, caller, services), services)
}

type Query = { limit: number; order: 'asc' | 'desc'; after?: string | undefined }

export async function listVideos(
  { limit, order, after }: Query,
  caller: Caller,
  services: Reading,
): Promise<VideoList> {
  const last = after === undefined ? undefined : await jobOf(after, caller, services)
  const page = { feature, subfeature, order, limit: limit + 1, after: last }
  const found = await listAskedJobs(services.db, caller.owner, page)
  const data = found.slice(0, limit).map((job) => toVideo(job, services))
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
  return { object: 'list', data, ...ends, has_more: found.length > limit }
}

export async function removeVideo(id: string, caller: Caller, services: Reading) {
  await jobOf(id, caller, services)
  await removeJob(id, caller, services)
  return { id, object: 'video.deleted' as const, deleted: true }
}

/** A job of another task is no video. */
async function jobOf(id: string, { owner }: Caller, { db }: Pick<CallServices, 'db'>): Promise<AskedJob> {
  const job = isResourceId(id) ? await findAskedJob(db, owner, { id, feature, subfeature }) : undefined
  if (!job) throw problem('not_found', { message: 'There is no such video.' })
  return job
}

function toVideo(job: AskedJob, { files }: Pick<CallServices, 'files'>): Video {
  const { id, provider, model, finishedAt, error } = job
  const { text, duration, dimension } = inputOf(job)
  const isCompleted = job.status === 'success'
  return {
    id,
    object: 'video',
    status: statusOf(job),
    progress: isCompleted ? 100 : 0,
    created_at: seconds(job.createdAt),
    completed_at: finishedAt === null ? null : seconds(finishedAt),
    expires_at: isCompleted && finishedAt !== null ? seconds(finishedAt + files.resultDays * DAY_MS) : null,
    model: model === null ? provider : `${provider}/${model}`,
    prompt: typeof text === 'string' ? text : null,
    seconds: typeof duration === 'number' ? String(duration) : null,
    size: typeof dimension === 'string' ? dimension : null,
    remixed_from_video_id: null,
    error: error === null ? null : { code: 'video_generation_failed', message: error },
    provider,
    cost: job.status === 'processing' ? 0 : job.cost,
  }
}

function inputOf({ request }: AskedJob): Fields {
  return recordOf(recordOf(recordOf(tryParse(request ?? '')).body).input)
}

function statusOf({ status, startedAt }: AskedJob): Video['status'] {
  if (status === 'success') return 'completed'
  if (status === 'fail') return 'failed'
  return startedAt === null ? 'queued' : 'in_progress'
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}
