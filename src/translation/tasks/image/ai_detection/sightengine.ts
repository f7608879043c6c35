import Type from '../../../../base/schema/type.ts'
import { aiPrediction } from '../../results/predictions.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { askSightengine } from '../../vendors/sightengine.ts'
import { score, scoreField } from '../../fields/score.ts'
import aiDetection from './feature.ts'

// https://sightengine.com/docs/ai-generated-image-detection

/** The number of operations that this check costs. */
const OPERATIONS = 5

const readReply = replyReader(
  Type.Object({ type: Type.Object({ ai_generated: scoreField('Probability that it is generated.') }) }),
)

export default adapter(aiDetection, async (task, tools) => {
  const original = await askSightengine(tools, task, 'genai', readReply)
  const ai_score = score(original.type.ai_generated)
  return { output: { ai_score, prediction: aiPrediction(ai_score) }, original, units: OPERATIONS }
})
