import { pathSegment } from '../../../contract/path-segment.ts'
import Type from '../../../contract/type.ts'
import { acceptFile } from '../../calls/accept-file.ts'
import { askForFile, askForJson } from '../../calls/ask-provider.ts'
import { base64Of } from '../../calls/inline-file.ts'
import { jsonPayload } from '../../calls/payload.ts'
import { givenUp } from '../../calls/refusal.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { TaskFailure } from '../../calls/task-failure.ts'
import { filmOutput, orientationOf } from '../../calls/film.ts'
import { nextLonger } from '../../calls/film-lengths.ts'
import { slowAdapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import generation from './feature.ts'

// https://ai.google.dev/gemini-api/docs/video: started, then asked for, then fetched.

const PICTURES = { types: ['image/jpeg', 'image/png'], megabytes: 20 }
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
    const picture = task.files.file && acceptFile(task.files.file, PICTURES)
    const image = picture && { bytesBase64Encoded: await base64Of(picture), mimeType: picture.type }
    const seconds = nextLonger(measuredUnits(generation, task), SECONDS)
    const asked = { durationSeconds: seconds, ...orientationOf(dimension), ...(typeof seed === 'number' && { seed }) }
    const fields = { instances: [{ prompt, ...(image && { image }) }], parameters: { ...task.params, ...asked } }
    const model = pathSegment(task.model ?? 'veo-3.1-generate-preview')
    const question = { path: `/models/${model}:predictLongRunning`, payload: jsonPayload(fields) }
    return { operation: (await askForJson(tools, question, readStart)).name, seconds }
  },
  poll: async ({ operation, seconds }: Ticket, tools) => {
    const original = await askForJson(tools, { path: `/${operation}` }, readState)
    if (!original.done) return 'pending'
    const made = original.response?.generateVideoResponse
    const uri = made?.generatedSamples?.[0]?.video.uri
    if (!uri) throw refusedFilm(made?.raiMediaFilteredReasons?.[0], original.error?.message)
    const { bytes } = await askForFile(tools, { path: ownPath(uri) })
    return { output: await filmOutput(tools, bytes), original, units: seconds }

    function refusedFilm(filtered: string | undefined, message: string | undefined) {
      return filtered
        ? new TaskFailure('content_policy', tools.redacted(filtered), { status: 400, code: 'content_policy' })
        : givenUp(tools, 'not_generated', message)
    }
  },
})

/** The answer names the film with a whole address; the credential goes to none but the configured one. */
function ownPath(uri: string): string {
  const path = /\/files\/.*/.exec(uri)?.[0]
  if (path) return path
  throw new TaskFailure('garbage', 'the provider did not say where its film is')
}
