import { pathSegment } from '../../../wire/path-segment.ts'
import Type from '../../../../base/schema/type.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForFile, askForJson } from '../../http/ask-provider.ts'
import { base64Of } from '../../http/inline-file.ts'
import { jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { videoOutput, orientationOf } from '../../results/video.ts'
import { nextLonger } from '../../results/video-lengths.ts'
import { slowAdapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import generation from './feature.ts'

// https://ai.google.dev/gemini-api/docs/video: started, then asked for, then fetched.

const IMAGE_TYPES = { types: ['image/jpeg', 'image/png'], megabytes: 20 }
const SECONDS = [4, 6, 8]

type Ticket = { operation: string; seconds: number }

const readStart = replyReader(Type.Object({ name: Type.String() }))
const Sample = Type.Object({ video: Type.Object({ uri: Type.String() }) })
const readState = replyReader(
  Type.Object({
    done: Type.Optional(Type.Boolean()),
    error: Type.Optional(Type.Object({ message: Type.Optional(Type.String()) })),
    response: Type.Optional(
      Type.Object({
        generateVideoResponse: Type.Optional(
          Type.Object({
            generatedSamples: Type.Optional(Type.Array(Sample)),
            raiMediaFilteredReasons: Type.Optional(Type.Array(Type.String())),
          }),
        ),
      }),
    ),
  }),
)

export default slowAdapter(generation, {
  start: async (task, tools): Promise<Ticket> => {
    const { text: prompt, dimension, seed } = task.input
    const imageFile = task.files.file && acceptFile(task.files.file, IMAGE_TYPES)
    const image = imageFile && { bytesBase64Encoded: await base64Of(imageFile), mimeType: imageFile.type }
    const seconds = nextLonger(measuredUnits(generation, task), SECONDS)
    const request = { durationSeconds: seconds, ...orientationOf(dimension), ...(typeof seed === 'number' && { seed }) }
    const fields = { instances: [{ prompt, ...(image && { image }) }], parameters: { ...task.params, ...request } }
    const model = pathSegment(task.model ?? 'veo-3.1-generate-preview')
    const question = { path: `/models/${model}:predictLongRunning`, payload: jsonPayload(fields) }
    return { operation: (await askForJson(tools, question, readStart)).name, seconds }
  },
  poll: async ({ operation, seconds }: Ticket, tools) => {
    const original = await askForJson(tools, { path: `/${operation}` }, readState)
    if (!original.done) return 'pending'
    const made = original.response?.generateVideoResponse
    const uri = made?.generatedSamples?.[0]?.video.uri
    if (!uri) throw refusedVideo(made?.raiMediaFilteredReasons?.[0], original.error?.message)
    const { bytes } = await askForFile(tools, { path: ownPath(uri) })
    return { output: await videoOutput(tools, bytes), original, units: seconds }

    function refusedVideo(filtered: string | undefined, message: string | undefined) {
      return filtered
        ? new TaskFailure('content_policy', tools.redacted(filtered), { status: 400, code: 'content_policy' })
        : abandoned(tools, 'not_generated', message)
    }
  },
})

/** The answer contains the whole URL of the video; the credential is sent only to the configured address. */
function ownPath(uri: string): string {
  const path = /\/files\/.*/.exec(uri)?.[0]
  if (path) return path
  throw new TaskFailure('garbage', 'the answer of the provider contains no URL of the video')
}
