import Type from '../../../../base/schema/type.ts'
import { acceptText } from '../../inputs/accept-text.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { aiPrediction } from '../../results/predictions.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import aiDetection from './feature.ts'

// https://docs.gowinston.ai/api-reference/v2/ai-content-detection/post. The score is the probability in percent that a human
// wrote the text.

const MAX_CHARS = 150_000
const Percent = Type.Number({ minimum: 0, maximum: 100 })

const readReply = replyReader(
  Type.Object({
    score: Percent,
    sentences: Type.Array(Type.Object({ text: Type.String(), score: Percent })),
  }),
)

export default adapter(aiDetection, async (task, tools) => {
  const text = acceptText(task.input.text, { characters: MAX_CHARS })
  const payload = jsonPayload({ ...task.params, text, sentences: true, file: undefined, website: undefined })
  const original = await askForJson(tools, { path: '/ai-content-detection', payload }, readReply)
  const items = original.sentences.map(toItem)
  return {
    output: { ai_score: machineShare(original.score), items },
    original,
    units: measuredUnits(aiDetection, task),
  }
})

function toItem({ text, score: human }: { text: string; score: number }) {
  const ai_score = machineShare(human)
  return { text, prediction: aiPrediction(ai_score), ai_score, ai_score_detail: ai_score }
}

function machineShare(humanPercent: number): number {
  return score(1 - humanPercent / 100)
}
