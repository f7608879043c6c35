import Type from '../../../../base/schema/type.ts'
import { pathSegment } from '../../../wire/path-segment.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { formPayload, jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { ticketId } from '../../http/ticket-id.ts'
import { textAt } from '../../results/loose-fields.ts'
import { storedVideo } from '../../results/stored-video.ts'
import { nearestRatio, orientationOf } from '../../results/video.ts'
import { slowAdapter, type TaskFile, type Tools } from '../../feature.ts'
import generation from './feature.ts'

// https://docs.api.pruna.ai/guides/models/p-video. The model is in a header. An image is uploaded first, and named by its address.

const IMAGE_TYPES = { types: ['image/jpeg', 'image/png', 'image/webp'] }
const STORES = ['pruna.ai']
const RATIOS = ['16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '1:1']
const DEFAULT_SECONDS = 6
const LONGEST = 20
const OVER = ['failed', 'canceled']

const readFile = replyReader(Type.Object({ urls: Type.Object({ get: Type.String() }) }))
const readTicket = replyReader(Type.Object({ id: Type.String() }))
const readState = replyReader(
  Type.Object({
    status: Type.String(),
    generation_url: Type.Optional(Type.String()),
    error: Type.Optional(Type.Unknown()),
  }),
)

/** `units`: seconds of 720p. With a recording of the caller, the video is as long as that. */
type Ticket = { id: string; units: number; hasAudio: boolean }

export default slowAdapter<typeof generation, Ticket>(generation, {
  async start(task, tools) {
    const { text: prompt, duration, dimension, seed } = task.input
    const image = task.files.file && (await uploaded(task.files.file, tools))
    const seconds = Math.min(duration ?? DEFAULT_SECONDS, LONGEST)
    const options = { duration: seconds, ...shapeOf(dimension), ...(typeof seed === 'number' && { seed }) }
    const wanted = { ...options, ...task.params }
    const payload = jsonPayload({ input: { ...wanted, prompt, ...(image && { image }) } })
    const headers = { model: pathSegment(task.model ?? 'p-video') }
    const { id } = await askForJson(tools, { path: '/predictions', headers, payload }, readTicket)
    const hasAudio = task.params.audio !== undefined
    const billed = hasAudio ? LONGEST : Number(wanted.duration)
    return { id: ticketId(id), units: billed * secondsOf720p(wanted), hasAudio }
  },
  async poll({ id, units, hasAudio }, tools) {
    const original = await askForJson(tools, { path: `/predictions/status/${id}` }, readState)
    const { status, generation_url: address, error } = original
    if (OVER.includes(status))
      throw abandoned(tools, textAt(error, 'code') ?? status, textAt(error, 'message') ?? error)
    if (status !== 'succeeded') return 'pending'
    if (!address) throw new TaskFailure('garbage', 'the answer of the provider contains no video')
    // The address may be a path alone.
    const whole = URL.parse(address, tools.address())?.href ?? address
    const output = await storedVideo(whole, STORES, tools)
    return { output, original, units, ...(hasAudio && { estimated: true as const }) }
  },
})

async function uploaded(file: TaskFile, tools: Tools): Promise<string> {
  const payload = await formPayload({}, [{ field: 'content', file: acceptFile(file, IMAGE_TYPES) }])
  return (await askForJson(tools, { path: '/files', payload, isFree: true }, readFile)).urls.get
}

function shapeOf(dimension: string | null | undefined): { resolution: string; aspect_ratio: string } {
  const { resolution } = orientationOf(dimension)
  const [width = 16, height = 9] = dimension?.split('x').map(Number) ?? []
  return { resolution, aspect_ratio: nearestRatio(width, height, RATIOS) }
}

/** How many seconds of 720p cost as much as one of this video: full HD costs twice as much, and a draft a quarter. */
function secondsOf720p({ resolution, draft }: { resolution?: unknown; draft?: unknown }): number {
  return (resolution === '1080p' ? 2 : 1) / (draft === true ? 4 : 1)
}
