import { acceptText } from '../../inputs/accept-text.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { billedCharacters } from '../../inputs/billed-characters.ts'
import { COMPREHEND_METER, readLanguages } from '../../vendors/amazon/comprehend.ts'
import { languageName } from '../../inputs/language-tags.ts'
import { adapter } from '../../feature.ts'
import { score } from '../../fields/score.ts'
import detection from './feature.ts'

// https://docs.aws.amazon.com/comprehend/latest/APIReference/API_DetectDominantLanguage.html

const MAX_BYTES = 100_000

export default adapter(detection, async (task, tools) => {
  const text = acceptText(task.input.text, { bytes: MAX_BYTES })
  const fields = { ...task.params, Text: text }
  const original = await askAmazon(tools, 'comprehend.DetectDominantLanguage', fields, readLanguages)
  const found = original.Languages.toSorted((one, other) => other.Score - one.Score)
  const items = found.map(({ LanguageCode: language, Score }) => {
    return { language, display_name: languageName(language), confidence: score(Score) }
  })
  return { output: { items }, original, units: billedCharacters(text, COMPREHEND_METER) }
})
