import { languageName } from '../../inputs/language-tags.ts'
import { localText } from '../../vendors/local/text.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import languageDetection from './feature.ts'

export default adapter(languageDetection, async (task, tools) => {
  const original = await tools.engine('language', { text: localText(task.input) })
  const items = original.map(({ code, confidence }) => {
    return { language: code, display_name: languageName(code), confidence: score(confidence) }
  })
  return { output: { items }, original, units: measuredUnits(languageDetection, task) }
})
