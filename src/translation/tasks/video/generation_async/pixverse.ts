import { randomUUID } from 'node:crypto'
import Type from '../../../../base/schema/type.ts'
import { nullable } from '../../../../base/schema/fields.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { declined } from '../../http/declined.ts'
import { formPayload, jsonPayload } from '../../http/payload.ts'
import { AUTH_SENTENCE, abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { ticketId } from '../../http/ticket-id.ts'
import { storedVideo } from '../../results/stored-video.ts'
import { nextLonger } from '../../results/video-lengths.ts'
import { nearestRatio } from '../../results/video.ts'
import type { ProblemKind } from '../../../wire/upstream-problem.ts'
import { slowAdapter, type TaskFile, type Tools } from '../../feature.ts'
import generation from './feature.ts'

// https://docs.platform.pixverse.ai. Errors have status 200 and a number. Every request has an id of its own: to the same one
// PixVerse gives the same answer.

const IMAGE_TYPES = { types: ['image/jpeg', 'image/png', 'image/webp'], megabytes: 20 }
const STORES = ['pixverse.ai']
const RATIOS = ['16:9', '4:3', '1:1', '3:4', '9:16']
const HEIGHTS = [360, 540, 720, 1080]
const DEFAULT_SECONDS = 6
const LONGEST = 15
const [DONE, HELD_BACK, FAILED] = [1, 7, 8]

const KINDS: Readonly<Record<number, ProblemKind>> = {
  400012: 'auth',
  500020: 'auth',
  500044: 'rate_limited',
  500054: 'content_policy',
  500063: 'content_policy',
  500090: 'auth',
}

const Id = Type.Union([Type.Integer(), Type.String()])

const readVerdict = replyReader(
  Type.Object({ ErrCode: Type.Integer(), ErrMsg: Type.Optional(nullable(Type.String(), 'What is wrong.')) }),
)
const readImage = replyReader(Type.Object({ Resp: Type.Object({ img_id: Type.Integer() }) }))
const readTicket = replyReader(Type.Object({ Resp: Type.Object({ video_id: Id }) }))
const readState = replyReader(
  Type.Object({ Resp: Type.Object({ status: Type.Integer(), url: Type.Optional(Type.String()) }) }),
)

/** The answer does not say how long the video is. */
type Ticket = { id: string; seconds: number }

export default slowAdapter<typeof generation, Ticket>(generation, {
  async start(task, tools) {
    const { text, duration, dimension, seed } = task.input
    const model = task.model ?? 'v6'
    const { ratio, quality } = shapeOf(dimension)
    const img_id = task.files.file && (await uploaded(task.files.file, tools))
    const shape = img_id === undefined ? { aspect_ratio: ratio, quality } : { quality }
    const seconds = durationOf(duration ?? DEFAULT_SECONDS, model, task.params.quality ?? quality)
    const options = { duration: seconds, ...shape, seed, ...task.params }
    const payload = jsonPayload({ ...options, model, prompt: text, img_id, webhook_id: undefined })
    const path = `/openapi/v2/video/${img_id === undefined ? 'text' : 'img'}/generate`
    const { Resp } = readTicket(await ask({ path, payload }, tools))
    return { id: ticketId(String(Resp.video_id)), seconds: Number(options.duration) }
  },
  async poll({ id, seconds }, tools) {
    const original = readState(await ask({ path: `/openapi/v2/video/result/${id}` }, tools))
    const { status, url } = original.Resp
    if (status === HELD_BACK)
      throw new TaskFailure('content_policy', 'the provider held the video back because of its content')
    if (status === FAILED) throw abandoned(tools, null, null)
    if (status !== DONE) return 'pending'
    if (!url) throw new TaskFailure('garbage', 'the answer of the provider contains no video')
    return { output: await storedVideo(url, STORES, tools), original, units: seconds }
  },
})

async function uploaded(file: TaskFile, tools: Tools): Promise<number> {
  const payload = await formPayload({}, [{ field: 'image', file: acceptFile(file, IMAGE_TYPES) }])
  const { Resp } = readImage(await ask({ path: '/openapi/v2/image/upload', payload, isFree: true }, tools))
  return Resp.img_id
}

/** An answer, whose envelope says that all is well. */
async function ask(request: Parameters<typeof askForJson>[1], tools: Tools): Promise<unknown> {
  const headers = { 'ai-trace-id': randomUUID() }
  return await askForJson(tools, { ...request, headers }, (value) => {
    const { ErrCode, ErrMsg } = readVerdict(value)
    if (ErrCode !== 0) throw refused(ErrCode, ErrMsg, tools)
    return value
  })
}

function refused(code: number, message: string | null | undefined, tools: Tools): TaskFailure {
  const kind = KINDS[code] ?? (code >= 400_000 && code < 500_000 ? 'bad_request' : 'server_error')
  const words = kind === 'auth' ? AUTH_SENTENCE : message
  return new TaskFailure(kind, tools.redacted(words || `the provider answered with code ${code}`), {
    code: String(code),
  })
}

/** Only the lengths that a model allows: the earlier ones have few, and fewer in full HD. Later models decide themselves. */
function durationOf(seconds: number, model: string, quality: unknown): number {
  const isFullHd = quality === '1080p'
  if (/^v5\.[56]/.test(model)) return nextLonger(seconds, isFullHd ? [5, 8] : [5, 8, 10])
  if (/^v([34]|5$)/.test(model)) return nextLonger(seconds, isFullHd && model === 'v3.5' ? [5] : [5, 8])
  return Math.min(seconds, LONGEST)
}

function shapeOf(dimension: string | null | undefined): { ratio: string; quality: string } {
  const [, width, height] = /^(\d{3,4})x(\d{3,4})$/.exec(dimension ?? '1280x720') ?? []
  if (!width || !height) throw declined('dimension should be as in 1280x720', 422, 'unknown_dimension')
  const least = Math.min(Number(width), Number(height))
  return {
    ratio: nearestRatio(Number(width), Number(height), RATIOS),
    quality: `${HEIGHTS.find((lines) => lines >= least) ?? HEIGHTS.at(-1)}p`,
  }
}
