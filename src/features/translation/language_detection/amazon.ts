import { acceptText } from '../../calls/accept-text.ts'
import { askAmazon } from '../../calls/amazon.ts'
import { billedCharacters } from '../../calls/billed-characters.ts'
import { COMPREHEND_METER, readLanguages } from '../../calls/comprehend.ts'
import { languageName } from '../../calls/language-tags.ts'
import { adapter } from '../../feature.ts'
import { score } from '../../score.ts'
import detection from './feature.ts'

// https://docs.aws.amazon.com/comprehend/latest/APIReference/API_DetectDominantLanguage.html

const MOST_BYTES = 100_000

export default adapter(detection, async (task, tools) => {
  const text = acceptText(task.input.text, { bytes: MOST_BYTES })
  const fields = { ...task.params, Text: text }
  const original = await askAmazon(tools, 'comprehend', 'DetectDominantLanguage', fields, readLanguages)
  const found = original.Languages.toSorted((one, other) => other.Score - one.Score)
  const items = found.map(({ LanguageCode: language, Score }) => {
    return { language, display_name: languageName(language), confidence: score(Score) }
  })
  return { output: { items }, original, units: billedCharacters(text, COMPREHEND_METER) }
})
