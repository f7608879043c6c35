import Type from '../../../../base/schema/type.ts'
import { analyzedText, textAnalysis } from '../../vendors/microsoft/language.ts'
import { adapter } from '../../feature.ts'
import { score } from '../../fields/score.ts'
import namedEntities from './feature.ts'

const Entity = Type.Object({ text: Type.String(), category: Type.String(), confidenceScore: Type.Number() })
const recognize = textAnalysis('EntityRecognition', Type.Object({ entities: Type.Array(Entity) }))

export default adapter(namedEntities, async (task, tools) => {
  const { original, found, units } = await analyzedText(tools, task, recognize)
  const items = found.entities.map((one) => ({
    entity: one.text,
    category: one.category,
    importance: score(one.confidenceScore),
  }))
  return { output: { items }, original, units }
})
