import { MINIMAX_KINDS } from '../../../dialects/minimax-kinds.ts'
import Type, { type Static } from '../../../../base/schema/type.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { dataUrlOf } from '../../http/inline-file.ts'
import { nextLonger } from '../../results/video-lengths.ts'
import { storedVideo } from '../../results/stored-video.ts'
import { jsonPayload, queryOf } from '../../http/payload.ts'
import { AUTH_SENTENCE, abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { slowAdapter, type Tools } from '../../feature.ts'
import generation from './feature.ts'

// https://platform.minimax.io/docs/api-reference/video-generation. Errors have status 200. A video is billed per piece.

const IMAGE_TYPES = { types: ['image/jpeg', 'image/png', 'image/webp'], megabytes: 20 }
const STORES = ['minimax.io', 'minimaxi.com', 'aliyuncs.com']
const FULL_HD = 1080
const [SHORT, LONG] = [6, 10]
/** The earlier models make only short videos. */
const EARLIER = /-01(-|$)/
const KNOWN = /Hailuo-(02|2\.3)/

const Verdict = Type.Object({ status_code: Type.Integer(), status_msg: Type.Optional(Type.String()) })
const Id = Type.String({ minLength: 1 })

const readTicket = replyReader(Type.Object({ task_id: Type.Optional(Type.String()), base_resp: Verdict }))
const readState = replyReader(
  Type.Object({ status: Type.Optional(Type.String()), file_id: Type.Optional(Type.String()), base_resp: Verdict }),
)
const readFile = replyReader(Type.Object({ file: Type.Object({ download_url: Id }), base_resp: Verdict }))

/** The price is that of a short video; longer and finer ones cost more. */
type Ticket = { task_id: string; isDearer?: boolean }

export default slowAdapter<typeof generation, Ticket>(generation, {
  async start(task, tools) {
    const { text, dimension } = task.input
    const first_frame_image = task.files.file && (await dataUrlOf(acceptFile(task.files.file, IMAGE_TYPES)))
    const model = task.model ?? 'MiniMax-Hailuo-02'
    const resolution = resolutionOf(dimension)
    const duration = durationOf(task.input.duration ?? SHORT, model, task.params.resolution ?? resolution)
    const options = { duration, resolution, first_frame_image, ...task.params }
    const payload = jsonPayload({ ...options, model, prompt: text, callback_url: undefined })
    const { task_id, base_resp } = await askForJson(tools, { path: '/video_generation', payload }, readTicket)
    refuse(base_resp, tools)
    if (!task_id) throw new TaskFailure('garbage', 'the answer of the provider contains no id of the task')
    return { task_id, isDearer: Number(options.duration) > SHORT || options.resolution === '1080P' }
  },
  async poll({ task_id, isDearer }, tools) {
    const original = await askForJson(tools, { path: `/query/video_generation${queryOf({ task_id })}` }, readState)
    refuse(original.base_resp, tools)
    if (original.status === 'Fail') throw abandoned(tools, null, original.base_resp.status_msg)
    if (original.status !== 'Success' || !original.file_id) return 'pending'
    const file = await askForJson(tools, { path: `/files/retrieve${queryOf({ file_id: original.file_id })}` }, readFile)
    refuse(file.base_resp, tools)
    const output = await storedVideo(file.file.download_url, STORES, tools)
    return { output, original, units: 1, ...(isDearer && { estimated: true as const }) }
  },
})

/** Only the lengths that MiniMax allows: in full HD, and with earlier models, only the short one. Later models decide themselves. */
function durationOf(seconds: number, model: string, resolution: unknown): number {
  if (EARLIER.test(model) || (KNOWN.test(model) && resolution === '1080P')) return SHORT
  return KNOWN.test(model) ? nextLonger(seconds, [SHORT, LONG]) : seconds
}

/** It supports only a few heights; the default is left to the provider. */
function resolutionOf(dimension: string | null | undefined): string | undefined {
  const sides = dimension?.split('x').map(Number) ?? []
  return Math.min(...sides) >= FULL_HD && sides.length === 2 ? '1080P' : undefined
}

function refuse({ status_code, status_msg }: Static<typeof Verdict>, tools: Tools): void {
  if (status_code === 0) return
  const kind = MINIMAX_KINDS[status_code] ?? 'server_error'
  const words = kind === 'auth' ? AUTH_SENTENCE : status_msg
  throw new TaskFailure(kind, tools.redacted(words || `the provider answered with code ${status_code}`))
}
