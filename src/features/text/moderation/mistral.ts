import Type from 'typebox'
import { mapOf } from '../../../contract/fields.ts'
import { askForJson } from '../../calls/ask-provider.ts'
import { contentFinding } from '../../calls/content-finding.ts'
import { jsonPayload } from '../../calls/payload.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { worstOf } from '../../likelihood.ts'
import { measuredUnits } from '../../measured-units.ts'
import moderation from './feature.ts'

// https://docs.mistral.ai/api/#tag/classifiers

const readReply = replyReader(
  Type.Object({
    results: Type.Array(Type.Object({ category_scores: mapOf(Type.Number()) }), { minItems: 1, maxItems: 1 }),
  }),
)

export default adapter(moderation, async (task, tools) => {
  const model = task.model ?? 'mistral-moderation-latest'
  const payload = jsonPayload({ ...task.params, model, input: task.input.text })
  const original = await askForJson(tools, { path: '/moderations', payload }, readReply)
  const items = Object.entries(original.results[0]!.category_scores).map(([label, value]) =>
    contentFinding(label, value),
  )
  return { output: { ...worstOf(items), items }, original, units: measuredUnits(moderation, task) }
})
