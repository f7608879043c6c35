import { isInChina, regionalModel } from '../../../dialects/bytedance-regions.ts'
import Type from '../../../../base/schema/type.ts'
import { freeObject, optional } from '../../../../base/schema/fields.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { dataUrlOf } from '../../http/inline-file.ts'
import { storedVideo } from '../../results/stored-video.ts'
import { nearestRatio } from '../../results/video.ts'
import { numberAt } from '../../results/loose-fields.ts'
import { jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { startJob, stopJob } from '../../http/slow-job.ts'
import { slowAdapter } from '../../feature.ts'
import generation from './feature.ts'

// https://docs.byteplus.com/en/docs/ModelArk/1520757. It bills tokens, and reports how many a video used. A model has one name
// at BytePlus and another one in China, and each host knows only its own.

const IMAGE_TYPES = {
  types: ['image/jpeg', 'image/png', 'image/webp', 'image/bmp', 'image/tiff', 'image/gif'],
  megabytes: 30,
}
const STORES = ['volces.com', 'bytepluses.com', 'byteplus.com']
const RATIOS = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9']
const HEIGHTS = [480, 720, 1080]

const readState = replyReader(
  Type.Object({
    status: Type.String(),
    content: optional(Type.Object({ video_url: Type.Optional(Type.String()) }), 'Once it is done.'),
    usage: optional(freeObject(), 'Tokens.'),
    error: Type.Optional(Type.Unknown()),
  }),
)

const OVER = ['failed', 'cancelled', 'expired']

type Ticket = { id: string }

export default slowAdapter<typeof generation, Ticket>(generation, {
  async start(task, tools) {
    const { text, duration, dimension, seed } = task.input
    const frame = task.files.file && (await dataUrlOf(acceptFile(task.files.file, IMAGE_TYPES)))
    const image = frame ? [{ type: 'image_url', image_url: { url: frame }, role: 'first_frame' }] : []
    const content = [{ type: 'text', text }, ...image]
    const options = { duration, seed, ...shapeOf(dimension), ...task.params }
    const model = regionalModel(task.model ?? 'seedance-1-5-pro-251215', tools.address())
    const payload = jsonPayload({ ...options, model, content, callback_url: undefined })
    return await startJob(tools, '/contents/generations/tasks', payload)
  },
  async poll({ id }, tools) {
    const original = await askForJson(tools, { path: `/contents/generations/tasks/${id}` }, readState)
    const { status, content, usage, error } = original
    const { code, message } = { ...(error as Record<string, unknown> | null | undefined) }
    if (OVER.includes(status)) throw abandoned(tools, code ?? status, message)
    if (status !== 'succeeded') return 'pending'
    const tokens = numberAt(usage, 'completion_tokens')
    if (!content?.video_url || !tokens) throw new TaskFailure('garbage', 'the answer of the provider contains no video')
    const video = await storedVideo(content.video_url, STORES, tools)
    // The price is that of BytePlus; China has a list of its own.
    const estimated = isInChina(tools.address()) && { estimated: true as const }
    return { output: { ...video, usage }, original, units: tokens, ...estimated }
  },
  cancel: ({ id }, tools) => stopJob(tools, `/contents/generations/tasks/${id}`),
})

/** The nearest supported aspect ratio and height for a width and height. */
function shapeOf(dimension: string | null | undefined): { ratio?: string; resolution?: string } {
  const [width = 0, height = 0] = dimension?.split('x').map(Number) ?? []
  if (!(width > 0 && height > 0)) return {}
  const ratio = nearestRatio(width, height, RATIOS)
  const least = Math.min(width, height)
  return { ratio, resolution: HEIGHTS.includes(least) ? `${least}p` : undefined }
}
