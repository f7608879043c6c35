import Type from '../../../../base/schema/type.ts'
import { acceptText } from '../../inputs/accept-text.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { aiPrediction } from '../../results/predictions.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { SAPLING_PROOF } from '../../vendors/sapling.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { ReportedScore, score } from '../../fields/score.ts'
import aiDetection from './feature.ts'

// https://sapling.ai/docs/api/detector

const MAX_CHARS = 200_000

const readReply = replyReader(
  Type.Object({
    score: ReportedScore,
    sentence_scores: Type.Array(Type.Object({ score: ReportedScore, sentence: Type.String() })),
  }),
)

export default adapter(aiDetection, async (task, tools) => {
  const text = acceptText(task.input.text, { characters: MAX_CHARS })
  const payload = jsonPayload({ ...task.params, text, sent_scores: true, key: undefined })
  const original = await askForJson(tools, { path: '/aidetect', payload, proof: SAPLING_PROOF }, readReply)
  const items = original.sentence_scores.map((one) => toItem(one.sentence, one.score))
  return { output: { ai_score: score(original.score), items }, original, units: measuredUnits(aiDetection, task) }
})

function toItem(text: string, value: number) {
  const ai_score = score(value)
  return { text, prediction: aiPrediction(ai_score), ai_score, ai_score_detail: ai_score }
}
