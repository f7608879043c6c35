import { askForJson } from '../../http/ask-provider.ts'
import { aiPrediction } from '../../results/predictions.ts'
import { adapter } from '../../feature.ts'
import { detectQuestion, fakeScore, IMAGE_TYPES, readDetection, refuseFailed } from '../../vendors/resemble.ts'
import aiDetection from './feature.ts'

// https://docs.resemble.ai/detect. It does not distinguish generated images from altered ones.

export default adapter(aiDetection, async (task, tools) => {
  const original = await askForJson(tools, await detectQuestion(task, IMAGE_TYPES, true), readDetection)
  refuseFailed(original.item, tools)
  const ai_score = fakeScore(original.item.image_metrics)
  return { output: { ai_score, prediction: aiPrediction(ai_score) }, original, units: 1 }
})
