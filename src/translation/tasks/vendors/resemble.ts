import Type, { type Static } from '../../../base/schema/type.ts'
import { optional } from '../../../base/schema/fields.ts'
import { type Accepted, acceptFile } from '../inputs/accept-file.ts'
import { numberAt } from '../results/loose-fields.ts'
import { formPayload } from '../http/payload.ts'
import { abandoned } from '../http/refusal.ts'
import { replyReader } from '../http/reply-reader.ts'
import { TaskFailure } from '../http/task-failure.ts'
import type { Task, Tools } from '../feature.ts'
import { isScore, score } from '../fields/score.ts'

// https://docs.resemble.ai/detect. Scores are 0 for real and 1 for generated; some are texts.

export const IMAGE_TYPES: Accepted = { types: ['image/*'] }
export const VIDEO_TYPES: Accepted = { types: ['video/*'] }

const Detection = Type.Object({
  uuid: Type.String(),
  status: optional(Type.String(), 'processing, completed or failed.'),
  duration: Type.Optional(Type.Unknown()),
  error_message: Type.Optional(Type.Unknown()),
  image_metrics: Type.Optional(Type.Unknown()),
  video_metrics: Type.Optional(Type.Unknown()),
})

type Detection = Static<typeof Detection>

export const readDetection = replyReader(Type.Object({ item: Detection }))

/** The request that starts a detection; it waits for short ones. */
export async function detectQuestion(task: Pick<Task<unknown>, 'files' | 'params'>, accepted: Accepted, wait: boolean) {
  const fields = { ...task.params, file: undefined, url: undefined }
  const payload = await formPayload(fields, [{ field: 'file', file: acceptFile(task.files.file!, accepted) }])
  return { path: '/detect', payload, ...(wait && { headers: { prefer: 'wait' } }) }
}

export function refuseFailed({ status, error_message }: Detection, tools: Tools): void {
  if (status === 'failed') throw abandoned(tools, null, error_message)
}

/** The probability of a fake; without it the answer is invalid. */
export function fakeScore(metrics: unknown): number {
  const value = numberAt(metrics, 'score')
  if (value !== null && isScore(value)) return score(value)
  throw new TaskFailure('garbage', 'the answer of the provider contains no score')
}
