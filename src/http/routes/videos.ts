import Type from '../../base/schema/type.ts'
import { BYTES, FILE_TYPES, words } from '../../base/schema/fields.ts'
import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { DeletedVideo, Video, VideoList, VideoModels, VideoRequest } from '../../contract/videos.ts'
import { createVideo, findVideo, listVideos, removeVideo } from '../../jobs/videos/videos.ts'
import { videoContent } from '../../jobs/videos/video-content.ts'
import { shortModels } from '../../endpoints/universal/discovery.ts'
import generation from '../../translation/tasks/video/generation_async/feature.ts'
import { problem } from '../../contract/problems.ts'
import { memberText } from '../../translation/json/parse-body.ts'
import { parseWithDigits } from '../../translation/json/exact-numbers.ts'
import { type RequestWith, route } from '../define-route.ts'
import { traceOf } from '../entry/request-trace.ts'
import { memoryLeaseOf } from '../memory-lease.ts'
import { labelsOfRequest } from '../request-labels.ts'
import type { HttpServices } from '../route.ts'
import { sendFile } from '../send-file.ts'
import { readVideoForm, VideoForm } from './videos/video-form.ts'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'

const common = { access: 'key', scope: 'universal', noSuch: 'video' } as const
const MAX_LIMIT = 100
const DEFAULT_LIMIT = 20
const gone = { 404: { description: 'There is no such video.', schema: ErrorBody } }

export const create = route({
  method: 'POST',
  path: '/v3/videos',
  ...common,
  stores: true,
  multipart: true,
  summary: 'Make a video',
  description:
    "In OpenAI's format, by every provider of the task `video/generation_async`: the video is a job of that task, with its " +
    'prices, limits and webhooks. An accepted job is on disk. With an `Idempotency-Key` header, repeating the request returns the same video.',
  body: VideoRequest,
  form: VideoForm,
  replies: {
    200: { description: 'The video, which is being made.', schema: Video },
    409: { description: 'The `Idempotency-Key` was used with another body.', schema: ErrorBody },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
  },
  handle: async (request, _reply, services) => {
    const { body } = request
    if (!(body instanceof Readable)) return (await accepted(request, body.value, writtenIn(body), services)).video
    const form = await readVideoForm(request, services.calls)
    try {
      const { video, image } = await accepted(request, form.body, { text: form.text, parameters: undefined }, services)
      // The video that the same request has made before has an image of its own.
      if (image !== form.image) await form.drop()
      return video
    } catch (error) {
      await form.drop()
      throw error
    }
  },
})

export const list = route({
  method: 'GET',
  path: '/v3/videos',
  ...common,
  summary: 'List videos',
  description: 'Your videos, newest first.',
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'Videos on a page.' }),
    ),
    order: Type.Optional(words(['desc', 'asc'], { description: 'Newest or oldest first.' })),
    after: Type.Optional(Type.String({ maxLength: 100, description: 'The last id of the previous page.' })),
  }),
  replies: { 200: { description: 'A page of videos.', schema: VideoList }, ...gone },
  handle: (request, _reply, services) => {
    const { limit = DEFAULT_LIMIT, order = 'desc', after } = request.query
    return listVideos({ limit, order, after }, request.caller, services.calls)
  },
})

export const models = route({
  method: 'GET',
  path: '/v3/videos/models',
  access: 'key',
  scope: 'models',
  summary: 'List video models',
  description: 'Providers and models that this key can make videos with now.',
  replies: { 200: { description: 'The models.', schema: VideoModels } },
  handle: (request, _reply, services) => shortModels(generation, request.caller, services.calls),
})

export const one = route({
  method: 'GET',
  path: '/v3/videos/{video_id}',
  ...common,
  summary: 'Get a video',
  replies: { 200: { description: 'The state of the video.', schema: Video }, ...gone },
  handle: (request, _reply, services) => findVideo(request.params.video_id, request.caller, services.calls),
})

export const content = route({
  method: 'GET',
  path: '/v3/videos/{video_id}/content',
  ...common,
  summary: 'Download a video',
  query: Type.Object({
    variant: Type.Optional(words(['video', 'thumbnail', 'spritesheet'], { description: 'Only `video` exists here.' })),
  }),
  replies: {
    200: {
      description: 'The bytes, always as an attachment.',
      contentType: ['video/mp4', ...FILE_TYPES],
      schema: BYTES,
    },
    400: { description: 'There are no thumbnails and no sprite sheets.', schema: ErrorBody },
    404: { description: 'There is no such video, or its bytes are no longer stored.', schema: ErrorBody },
    409: { description: 'The video is not complete yet.', schema: ErrorBody },
  },
  handle: async (request, reply, services) => {
    const { calls } = services
    const { variant = 'video' } = request.query
    if (variant !== 'video')
      throw problem('unsupported_endpoint', { message: `There is no ${variant} of a video here.`, param: 'variant' })
    const found = await videoContent(request.params.video_id, request.caller, memoryLeaseOf(request, calls), calls)
    if ('file' in found) return await sendFile(reply, found.file, calls.files)
    return reply
      .headers({ 'content-disposition': 'attachment; filename="video.mp4"' })
      .type(found.type)
      .send(found.bytes)
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/v3/videos/{video_id}',
  ...common,
  summary: 'Delete a video',
  description: 'Deletes a video that has ended. Its file is deleted when its link expires.',
  replies: {
    200: { description: 'The video is deleted.', schema: DeletedVideo },
    ...gone,
    409: { description: 'The video is still being made.', schema: ErrorBody },
  },
  handle: (request, _reply, services) => removeVideo(request.params.video_id, request.caller, services.calls),
})

type Written = { text: string; parameters: string | undefined }

/** Readers differ in which value of a repeated key they use, so such a text is written again. */
function writtenIn(body: RequestWith<VideoRequest>['body']): Written {
  const { text, outline, repeated } = body
  const written = memberText({ text, outline }, 'user_webhook_parameters')
  return { text, parameters: repeated && written ? JSON.stringify(parseWithDigits(written)) : written }
}

async function accepted(
  request: FastifyRequest,
  body: VideoRequest,
  written: Written,
  { calls, jobs }: HttpServices,
): ReturnType<typeof createVideo> {
  const submission = {
    ...written,
    idempotencyKey: request.headers['idempotency-key']?.toString(),
    labels: labelsOfRequest(request, body),
    trace: traceOf(request, calls),
  }
  return await createVideo(body, submission, { caller: request.caller, memory: memoryLeaseOf(request, calls) }, jobs)
}
