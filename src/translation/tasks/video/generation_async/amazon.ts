import Type from '../../../../base/schema/type.ts'
import { pathSegment } from '../../../wire/path-segment.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { videoOutput } from '../../results/video.ts'
import { base64Of } from '../../http/inline-file.ts'
import { jsonPayload } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { newStage, type Staged, stagedFile, stagedIn, unstage, uriOf } from '../../http/staging.ts'
import { slowAdapter, type TaskFile, type Tools } from '../../feature.ts'
import generation from './feature.ts'

// https://docs.aws.amazon.com/nova/latest/userguide/video-generation.html. The video is written to the operator's bucket.

const IMAGE_TYPES = { types: ['image/jpeg', 'image/png'], megabytes: 10 }
const SHOT_SECONDS = 6
const FRAMES_PER_SECOND = 24

/** Files that Amazon writes beside the video. */
const WRITTEN = ['output.mp4', 'manifest.json', 'video-generation-status.json']

type Ticket = { job: string; place: Staged }

const readStart = replyReader(Type.Object({ invocationArn: Type.String() }))
const OutputLocation = Type.Object({ s3OutputDataConfig: Type.Object({ s3Uri: Type.String() }) })
const readState = replyReader(
  Type.Object({
    status: Type.String(),
    failureMessage: Type.Optional(Type.String()),
    outputDataConfig: Type.Optional(OutputLocation),
  }),
)

export default slowAdapter(generation, {
  start: async (task, tools): Promise<Ticket> => {
    const { text, dimension, seed } = task.input
    const place = newStage(tools, 's3')
    const images = task.files.file ? [await imageOf(task.files.file)] : undefined
    const videoGenerationConfig = {
      durationSeconds: SHOT_SECONDS,
      fps: FRAMES_PER_SECOND,
      dimension: dimension ?? '1280x720',
      ...(typeof seed === 'number' && { seed }),
    }
    const textToVideoParams = { text, ...(images && { images }) }
    const modelInput = { ...task.params, taskType: 'TEXT_VIDEO', textToVideoParams, videoGenerationConfig }
    const payload = jsonPayload({
      modelId: task.model ?? 'amazon.nova-reel-v1:1',
      modelInput,
      outputDataConfig: { s3OutputDataConfig: { s3Uri: uriOf(place) } },
    })
    const { invocationArn } = await askForJson(tools, { path: '/async-invoke', payload }, readStart)
    return { job: invocationArn, place }
  },
  poll: async ({ job, place }: Ticket, tools) => {
    const original = await askForJson(tools, { path: `/async-invoke/${pathSegment(job, noSuchJob)}` }, readState)
    if (original.status === 'InProgress') return 'pending'
    const written = stagedIn(place, original.outputDataConfig?.s3OutputDataConfig.s3Uri, WRITTEN)
    const [video] = written
    if (original.status !== 'Completed' || !video) {
      await tidy(tools, written)
      throw abandoned(tools, 'not_generated', original.failureMessage)
    }
    const output = await videoOutput(tools, await stagedFile(tools, video))
    await tidy(tools, written)
    return { output, original, units: SHOT_SECONDS }
  },
})

function noSuchJob(): TaskFailure {
  return new TaskFailure('garbage', 'the answer of the provider contains no valid id of the task')
}

async function tidy(tools: Tools, written: readonly Staged[]): Promise<void> {
  await Promise.all(written.map((file) => unstage(tools, file)))
}

async function imageOf(file: TaskFile) {
  const { type } = acceptFile(file, IMAGE_TYPES)
  return { format: type === 'image/png' ? 'png' : 'jpeg', source: { bytes: await base64Of(file) } }
}
