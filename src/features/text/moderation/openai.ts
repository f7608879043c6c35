import Type from 'typebox'
import { mapOf } from '../../../contract/fields.ts'
import { askForJson } from '../../calls/ask-provider.ts'
import { jsonPayload } from '../../calls/payload.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { contentCategoryOf } from '../../content-categories.ts'
import { adapter } from '../../feature.ts'
import { likelihoodOf, worstOf } from '../../likelihood.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../score.ts'
import moderation from './feature.ts'

// https://platform.openai.com/docs/api-reference/moderations

const readReply = replyReader(
  Type.Object({
    results: Type.Array(Type.Object({ category_scores: mapOf(Type.Number({ minimum: 0, maximum: 1 })) }), {
      minItems: 1,
      maxItems: 1,
    }),
  }),
)

export default adapter(moderation, async (task, tools) => {
  const model = task.model ?? 'omni-moderation-latest'
  const payload = jsonPayload({ ...task.params, model, input: task.input.text })
  const original = await askForJson(tools, { path: '/moderations', payload }, readReply)
  const items = Object.entries(original.results[0]!.category_scores).map(([label, value]) => toItem(label, value))
  return { output: { ...worstOf(items), items }, original, units: measuredUnits(moderation, task) }
})

/** The likelihood goes by the score as it is given out: whoever works it out again gets the same. */
function toItem(label: string, value: number) {
  const likelihood_score = score(value)
  return { label, likelihood: likelihoodOf(likelihood_score), likelihood_score, ...contentCategoryOf(label) }
}
