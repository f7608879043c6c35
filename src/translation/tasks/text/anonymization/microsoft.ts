import Type from '../../../../base/schema/type.ts'
import { analyzedText, COUNTED_LIKE_US, textAnalysis } from '../../vendors/microsoft/language.ts'
import { anonymized } from '../../results/personal-data.ts'
import { adapter } from '../../feature.ts'
import anonymization from './feature.ts'
import { ReportedScore, score } from '../../fields/score.ts'

const Offset = Type.Integer({ minimum: 0 })
const Entity = Type.Object({
  category: Type.String(),
  subcategory: Type.Optional(Type.String()),
  offset: Offset,
  length: Offset,
  confidenceScore: ReportedScore,
})
const recognize = textAnalysis('PiiEntityRecognition', Type.Object({ entities: Type.Array(Entity) }))

export default adapter(anonymization, async (task, tools) => {
  const { original, found, units } = await analyzedText(tools, task, recognize, COUNTED_LIKE_US)
  const entities = found.entities.map(({ category, subcategory, offset, length, confidenceScore }) => {
    return { offset, length, label: subcategory ?? category, confidence: score(confidenceScore) }
  })
  return { output: anonymized(task.input.text, entities), original, units }
})
