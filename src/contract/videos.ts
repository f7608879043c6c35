import Type, { type Static } from '../base/schema/type.ts'
import { closed, exactlyOneOf, freeObject, nullable, optional, words } from '../base/schema/fields.ts'
import { PIXELS, SECONDS } from '../base/schema/patterns.ts'
import { TaskModels } from './task-models.ts'

const LARGEST_SEED = 2_147_483_646

const Reference = Type.Object(
  {
    file_id: Type.Optional(Type.String({ format: 'file-input', description: 'The id of an uploaded image.' })),
    image_url: Type.Optional(
      Type.String({ maxLength: 2_083, format: 'file-input', description: 'An http(s) URL of an image.' }),
    ),
  },
  {
    title: 'VideoReference',
    description: 'The first image of the video: exactly one of `file_id` and `image_url`.',
    ...closed,
    ...exactlyOneOf('file_id', 'image_url'),
  },
)

export const VideoRequest = Type.Object(
  {
    model: Type.String({
      description:
        'The provider that makes the video, such as `google`, or one of its models, as `provider/model`. GET /v3/videos/models lists them.',
      examples: ['sandbox'],
    }),
    prompt: Type.String({ minLength: 1, maxLength: 32_000, description: 'A description of the video.' }),
    seconds: optional(
      Type.Union([Type.String({ pattern: SECONDS }), Type.Integer({ minimum: 1, maximum: 9_999 })]),
      "The length in seconds. A provider that has certain lengths takes the next longer one. The provider's usual length if absent.",
    ),
    size: optional(Type.String({ pattern: PIXELS }), 'Width and height in pixels, such as `1280x720`.'),
    input_reference: optional(Reference, 'The first image of the video. A form has the image itself.'),
    seed: optional(Type.Integer({ minimum: 0, maximum: LARGEST_SEED }), 'The same number gives a similar video again.'),
    provider_params: optional(freeObject(), 'Further settings, passed to the provider.'),
    webhook_receiver: optional(
      Type.String({ minLength: 1, maxLength: 2083 }),
      'An https:// URL to call when the video is done.',
    ),
    user_webhook_parameters: optional(freeObject(), 'Sent back as `user_parameters` in the webhook.'),
    user: optional(Type.String(), 'Your own identifier of the end user. It is not passed on.'),
    metadata: optional(freeObject(), 'Your own metadata of this call. It is not passed on.'),
  },
  { title: 'VideoRequest', description: "A video to make, in OpenAI's format.", ...closed },
)
export type VideoRequest = Static<typeof VideoRequest>

const failure = Type.Object({
  code: Type.String({ description: 'A word for programs.' }),
  message: Type.String({ description: 'What went wrong.' }),
})
const moment = (description: string) => nullable(Type.Integer(), `${description}, in seconds since 1970.`)

export const Video = Type.Object(
  {
    id: Type.String({ description: 'Identifies the video. It is also the id of the job at /v3/universal-ai/async.' }),
    object: Type.Literal('video'),
    status: words(['queued', 'in_progress', 'completed', 'failed'], {
      description: 'The state. `completed` and `failed` are final.',
    }),
    progress: Type.Integer({ description: '100 if the video is complete, otherwise 0: providers do not say it.' }),
    created_at: Type.Integer({ description: 'When it was accepted, in seconds since 1970.' }),
    completed_at: moment('When it ended'),
    expires_at: moment('When its bytes are deleted'),
    model: Type.String({ description: 'The provider, and its model if one was named.' }),
    prompt: nullable(Type.String(), 'The description. Null if it is very long.'),
    seconds: nullable(Type.String(), 'The requested length. Null if none was requested.'),
    size: nullable(Type.String(), 'The requested size. Null if none was requested.'),
    remixed_from_video_id: nullable(Type.String(), 'Always null: videos are not remixed here.'),
    error: nullable(failure, 'Why it failed.'),
    provider: Type.String({ description: 'The provider.' }),
    cost: nullable(Type.Number(), 'What it cost, in USD: 0 until it has ended, null if the price is not known.'),
  },
  { title: 'Video', description: 'A video, or the state of its making.' },
)
export type Video = Static<typeof Video>

export const VideoList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(Video, { description: 'The videos.' }),
    first_id: nullable(Type.String(), 'The first id of this page.'),
    last_id: nullable(Type.String(), 'Send it as `after` to get the next page.'),
    has_more: Type.Boolean({ description: 'Whether there are more behind this page.' }),
  },
  { title: 'VideoList', description: 'A page of videos.' },
)
export type VideoList = Static<typeof VideoList>

export const DeletedVideo = Type.Object(
  {
    id: Type.String({ description: 'The id of the video.' }),
    object: Type.Literal('video.deleted'),
    deleted: Type.Boolean({ description: 'Always true: what does not exist gets a 404.' }),
  },
  { title: 'DeletedVideo', description: 'The result of the deletion.' },
)

export const VideoModels = TaskModels({
  title: 'VideoModels',
  description: 'The providers and models that this key can make videos with now.',
})
