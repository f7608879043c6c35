import { askForJson } from '../../http/ask-provider.ts'
import { deepfakePrediction } from '../../results/predictions.ts'
import { adapter } from '../../feature.ts'
import { detectQuestion, fakeScore, IMAGE_TYPES, readDetection, refuseFailed } from '../../vendors/resemble.ts'
import deepfakeDetection from './feature.ts'

// https://docs.resemble.ai/detect

export default adapter(deepfakeDetection, async (task, tools) => {
  const original = await askForJson(tools, await detectQuestion(task, IMAGE_TYPES, true), readDetection)
  refuseFailed(original.item, tools)
  const deepfake_score = fakeScore(original.item.image_metrics)
  return { output: { deepfake_score, prediction: deepfakePrediction(deepfake_score) }, original, units: 1 }
})
