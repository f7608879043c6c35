import Type from 'typebox'
import { billedCharacters } from '../../calls/billed-characters.ts'
import { COUNTED_LIKE_US, languageOf, TEXT_RECORD, textAnalysis } from '../../calls/microsoft-language.ts'
import { anonymized } from '../../calls/personal-data.ts'
import { adapter } from '../../feature.ts'
import anonymization from './feature.ts'

const Place = Type.Integer({ minimum: 0 })
const Entity = Type.Object({
  category: Type.String(),
  subcategory: Type.Optional(Type.String()),
  offset: Place,
  length: Place,
  confidenceScore: Type.Number({ minimum: 0, maximum: 1 }),
})
const recognize = textAnalysis('PiiEntityRecognition', Type.Object({ entities: Type.Array(Entity) }))

export default adapter(anonymization, async (task, tools) => {
  const { text } = task.input
  const language = await languageOf(tools, text, task.input.language)
  const { original, found } = await recognize(tools, text, language, { ...task.params, ...COUNTED_LIKE_US })
  const entities = found.entities.map(({ category, subcategory, offset, length, confidenceScore }) => {
    return { offset, length, label: subcategory ?? category, confidence: confidenceScore }
  })
  return { output: anonymized(text, entities), original, units: billedCharacters(text, TEXT_RECORD) }
})
