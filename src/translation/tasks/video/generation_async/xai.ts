import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { dataUrlOf } from '../../http/inline-file.ts'
import { jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { ticketId } from '../../http/ticket-id.ts'
import { textAt } from '../../results/loose-fields.ts'
import { storedVideo } from '../../results/stored-video.ts'
import { orientationOf } from '../../results/video.ts'
import { slowAdapter } from '../../feature.ts'
import generation from './feature.ts'

// https://docs.x.ai/developers/model-capabilities/video/generation. It makes 1 to 15 seconds, and bills them.

const IMAGE_TYPES = { types: ['image/jpeg', 'image/png', 'image/webp'], megabytes: 20 }
const STORES = ['x.ai']
const LONGEST = 15
const DEFAULT_SECONDS = 6
const OVER = ['failed', 'expired']

const readTicket = replyReader(Type.Object({ request_id: Type.String() }))
const readState = replyReader(
  Type.Object({
    status: Type.String(),
    video: optional(
      Type.Object({
        url: optional(Type.String(), 'Absent if it was held back.'),
        duration: optional(Type.Integer({ minimum: 1 }), 'In seconds.'),
        respect_moderation: Type.Optional(Type.Boolean()),
      }),
      'Once it is done.',
    ),
    error: Type.Optional(Type.Unknown()),
  }),
)

/** `seconds`: what was ordered, if the answer does not say how long the video is. */
type Ticket = { id: string; seconds: number }

export default slowAdapter<typeof generation, Ticket>(generation, {
  async start(task, tools) {
    const { text, duration, dimension } = task.input
    const image = task.files.file && { url: await dataUrlOf(acceptFile(task.files.file, IMAGE_TYPES)) }
    const seconds = Math.min(duration ?? DEFAULT_SECONDS, LONGEST)
    const options = { duration: seconds, ...shapeOf(dimension), ...task.params }
    const model = task.model ?? 'grok-imagine-video'
    const payload = jsonPayload({ ...options, model, prompt: text, image, output: undefined })
    const { request_id } = await askForJson(tools, { path: '/videos/generations', payload }, readTicket)
    return { id: ticketId(request_id), seconds: Number(options.duration) }
  },
  async poll({ id, seconds }, tools) {
    const original = await askForJson(tools, { path: `/videos/${id}` }, readState)
    const { status, video, error } = original
    if (OVER.includes(status)) throw abandoned(tools, textAt(error, 'code') ?? status, textAt(error, 'message'))
    if (status !== 'done') return 'pending'
    if (video?.respect_moderation === false)
      throw new TaskFailure('content_policy', 'the provider held the video back because of its content')
    if (!video?.url) throw new TaskFailure('garbage', 'the answer of the provider contains no video')
    return { output: await storedVideo(video.url, STORES, tools), original, units: video.duration ?? seconds }
  },
})

/** It has no full HD. */
function shapeOf(dimension: string | null | undefined): { aspect_ratio: string; resolution: string } {
  const { aspectRatio, resolution } = orientationOf(dimension)
  return { aspect_ratio: aspectRatio, resolution: resolution === '1080p' ? '720p' : resolution }
}
