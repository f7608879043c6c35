import Type from '../../../schema/type.ts'
import { optional } from '../../../schema/fields.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForFile, askForJson } from '../../http/ask-provider.ts'
import { declined } from '../../http/declined.ts'
import { videoOutput } from '../../results/video.ts'
import { nextLonger } from '../../results/video-lengths.ts'
import { textAt } from '../../results/loose-fields.ts'
import { formPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { ticketId } from '../../http/ticket-id.ts'
import { slowAdapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import generation from './feature.ts'

// https://platform.openai.com/docs/api-reference/videos. A video is ordered, polled and downloaded. There is no seed. A
// reference image must have the size of the video.

const IMAGE_TYPES = { types: ['image/jpeg', 'image/png', 'image/webp'], megabytes: 20 }
const SECONDS = [4, 8, 12]
const SIZES = ['1280x720', '720x1280', '1792x1024', '1024x1792']
/** Other sizes cost more per second than the price says. */
const DEFAULT_SIZES = SIZES.slice(0, 2)
const REFUSED_CONTENT = 'moderation_blocked'

type Ticket = { id: string; seconds: number; size: unknown }

const readState = replyReader(
  Type.Object({
    id: Type.String(),
    status: Type.String(),
    error: optional(Type.Unknown(), 'Why it failed.'),
  }),
)

export default slowAdapter<typeof generation, Ticket>(generation, {
  async start(task, tools) {
    const image = task.files.file && acceptFile(task.files.file, IMAGE_TYPES)
    const seconds = nextLonger(measuredUnits(generation, task), SECONDS)
    const fixed = { model: task.model ?? 'sora-2', prompt: task.input.text, seconds, input_reference: undefined }
    const fields = { size: sizeOf(task.input.dimension), ...task.params, ...fixed }
    const payload = await formPayload(fields, image ? [{ field: 'input_reference', file: image }] : [])
    const { id } = await askForJson(tools, { path: '/videos', payload }, readState)
    return { id: ticketId(id), seconds, size: fields.size }
  },
  async poll({ id, seconds, size }, tools) {
    const original = await askForJson(tools, { path: `/videos/${id}` }, readState)
    const { status, error } = original
    if (status === 'failed') throw failure(textAt(error, 'code'), textAt(error, 'message'))
    if (status !== 'completed') return 'pending'
    const { bytes } = await askForFile(tools, { path: `/videos/${id}/content` })
    const output = await videoOutput(tools, bytes)
    return {
      output,
      original,
      units: seconds,
      ...(!DEFAULT_SIZES.includes(String(size)) && { estimated: true as const }),
    }

    function failure(code: string | null, message: string | null) {
      const more = { status: 400, code: 'content_policy' }
      if (code === REFUSED_CONTENT) return new TaskFailure('content_policy', tools.redacted(message ?? code), more)
      return abandoned(tools, code, message)
    }
  },
})

function sizeOf(dimension: string | null | undefined): string {
  const size = dimension ?? SIZES[0]!
  if (SIZES.includes(size)) return size
  throw declined(`dimension should be one of ${SIZES.join(', ')} for this provider`, 422, 'unknown_dimension')
}
