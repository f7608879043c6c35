import { askForJson } from '../../http/ask-provider.ts'
import { listAt, numberAt, textAt } from '../../results/loose-fields.ts'
import { deepfakePrediction } from '../../results/predictions.ts'
import { ticketId } from '../../http/ticket-id.ts'
import { reportedSeconds } from '../../results/reported-seconds.ts'
import { slowAdapter } from '../../feature.ts'
import { detectQuestion, VIDEO_TYPES, fakeScore, readDetection, refuseFailed } from '../../vendors/resemble.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import deepfakeDetection from './feature.ts'

// https://docs.resemble.ai/detect

type Ticket = { uuid: string; seconds: number }

export default slowAdapter<typeof deepfakeDetection, Ticket>(deepfakeDetection, {
  async start(task, tools) {
    const { item } = await askForJson(tools, await detectQuestion(task, VIDEO_TYPES, false), readDetection)
    return { uuid: ticketId(item.uuid), seconds: measuredUnits(deepfakeDetection, task) }
  },
  async poll({ uuid, seconds }, tools) {
    const original = await askForJson(tools, { path: `/detect/${uuid}` }, readDetection)
    const { status, duration, video_metrics } = original.item
    refuseFailed(original.item, tools)
    if (status !== 'completed') return 'pending'
    const average_score = fakeScore(video_metrics)
    const details_per_frame = framesIn(video_metrics).map(toFrame)
    const output = { average_score, prediction: deepfakePrediction(average_score), details_per_frame }
    return { output, original, ...reportedSeconds(numberAt(duration), seconds) }
  },
})

/** Frames are the leaves of the tree of results and chunks. */
function framesIn(node: unknown): unknown[] {
  return listAt(node, 'children').flatMap((child) => {
    if (textAt(child, 'type') === 'VideoFrameResult') return [child]
    return framesIn(child)
  })
}

function toFrame(frame: unknown, index: number) {
  const value = score(numberAt(frame, 'score') ?? 0)
  return { position: numberAt(frame, 'timestamp') ?? index, score: value, prediction: deepfakePrediction(value) }
}
