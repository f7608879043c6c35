import Type from 'typebox'
import { billedCharacters } from '../../calls/billed-characters.ts'
import { languageOf, TEXT_RECORD, textAnalysis } from '../../calls/microsoft-language.ts'
import { adapter } from '../../feature.ts'
import { score } from '../../score.ts'
import namedEntities from './feature.ts'

const Entity = Type.Object({ text: Type.String(), category: Type.String(), confidenceScore: Type.Number() })
const recognize = textAnalysis('EntityRecognition', Type.Object({ entities: Type.Array(Entity) }))

export default adapter(namedEntities, async (task, tools) => {
  const { text } = task.input
  const language = await languageOf(tools, text, task.input.language)
  const { original, found } = await recognize(tools, text, language, task.params)
  const items = found.entities.map((one) => ({
    entity: one.text,
    category: one.category,
    importance: score(one.confidenceScore),
  }))
  return { output: { items }, original, units: billedCharacters(text, TEXT_RECORD) }
})
