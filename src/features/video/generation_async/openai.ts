import Type from '../../../contract/type.ts'
import { optional } from '../../../contract/fields.ts'
import { acceptFile } from '../../calls/accept-file.ts'
import { askForFile, askForJson } from '../../calls/ask-provider.ts'
import { declined } from '../../calls/declined.ts'
import { filmOutput } from '../../calls/film.ts'
import { nextLonger } from '../../calls/film-lengths.ts'
import { textAt } from '../../calls/loose-fields.ts'
import { formPayload } from '../../calls/payload.ts'
import { givenUp } from '../../calls/refusal.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { TaskFailure } from '../../calls/task-failure.ts'
import { ticketId } from '../../calls/ticket-id.ts'
import { slowAdapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import generation from './feature.ts'

// https://platform.openai.com/docs/api-reference/videos: ordered, asked for, fetched. It takes no seed. A picture to begin with
// has to be of the film's own size.

const PICTURES = { types: ['image/jpeg', 'image/png', 'image/webp'], megabytes: 20 }
const SECONDS = [4, 8, 12]
const SIZES = ['1280x720', '720x1280', '1792x1024', '1024x1792']
/** The others cost more for each second than the price says. */
const USUAL_SIZES = SIZES.slice(0, 2)
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
    const picture = task.files.file && acceptFile(task.files.file, PICTURES)
    const seconds = nextLonger(measuredUnits(generation, task), SECONDS)
    const fixed = { model: task.model ?? 'sora-2', prompt: task.input.text, seconds, input_reference: undefined }
    const fields = { size: sizeOf(task.input.dimension), ...task.params, ...fixed }
    const payload = await formPayload(fields, picture ? [{ field: 'input_reference', file: picture }] : [])
    const { id } = await askForJson(tools, { path: '/videos', payload }, readState)
    return { id: ticketId(id), seconds, size: fields.size }
  },
  async poll({ id, seconds, size }, tools) {
    const original = await askForJson(tools, { path: `/videos/${id}` }, readState)
    const { status, error } = original
    if (status === 'failed') throw failure(textAt(error, 'code'), textAt(error, 'message'))
    if (status !== 'completed') return 'pending'
    const { bytes } = await askForFile(tools, { path: `/videos/${id}/content` })
    const output = await filmOutput(tools, bytes)
    return {
      output,
      original,
      units: seconds,
      ...(!USUAL_SIZES.includes(String(size)) && { estimated: true as const }),
    }

    function failure(code: string | null, message: string | null) {
      const more = { status: 400, code: 'content_policy' }
      if (code === REFUSED_CONTENT) return new TaskFailure('content_policy', tools.redacted(message ?? code), more)
      return givenUp(tools, code, message)
    }
  },
})

function sizeOf(dimension: string | null | undefined): string {
  const size = dimension ?? SIZES[0]!
  if (SIZES.includes(size)) return size
  throw declined(`dimension should be one of ${SIZES.join(', ')} for this provider`, 422, 'unknown_dimension')
}
