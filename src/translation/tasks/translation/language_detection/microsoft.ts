import Type from '../../../../base/schema/type.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { TEXT_RECORD, textAnalysis } from '../../vendors/microsoft/language.ts'
import { adapter } from '../../feature.ts'
import { score } from '../../fields/score.ts'
import detection from './feature.ts'

const Detected = Type.Object({ name: Type.String(), iso6391Name: Type.String(), confidenceScore: Type.Number() })
const detect = textAnalysis('LanguageDetection', Type.Object({ detectedLanguage: Detected }))

export default adapter(detection, async (task, tools) => {
  const { text } = task.input
  const { original, found } = await detect(tools, text, null, task.params)
  const { name, iso6391Name, confidenceScore } = found.detectedLanguage
  const items = [{ language: iso6391Name, display_name: name, confidence: score(confidenceScore) }]
  return { output: { items }, original, units: billedCharacters(text, TEXT_RECORD) }
})
