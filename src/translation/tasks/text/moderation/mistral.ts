import { askForJson } from '../../http/ask-provider.ts'
import { moderationOf, readCategoryScores } from '../../results/category-scores.ts'
import { jsonPayload } from '../../http/payload.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import moderation from './feature.ts'

// https://docs.mistral.ai/api/#tag/classifiers

export default adapter(moderation, async (task, tools) => {
  const model = task.model ?? 'mistral-moderation-latest'
  const payload = jsonPayload({ ...task.params, model, input: task.input.text })
  const original = await askForJson(tools, { path: '/moderations', payload }, readCategoryScores)
  return { output: moderationOf(original), original, units: measuredUnits(moderation, task) }
})
