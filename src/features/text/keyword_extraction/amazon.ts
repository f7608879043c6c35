import Type from 'typebox'
import { acceptText } from '../../calls/accept-text.ts'
import { askAmazon } from '../../calls/amazon.ts'
import { billedCharacters } from '../../calls/billed-characters.ts'
import { COMPREHEND_METER, comprehendLanguage } from '../../calls/comprehend.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { score } from '../../score.ts'
import keywords from './feature.ts'

// https://docs.aws.amazon.com/comprehend/latest/APIReference/API_DetectKeyPhrases.html

const MOST_BYTES = 100_000

const readReply = replyReader(
  Type.Object({ KeyPhrases: Type.Array(Type.Object({ Text: Type.String(), Score: Type.Number() })) }),
)

export default adapter(keywords, async (task, tools) => {
  const text = acceptText(task.input.text, { bytes: MOST_BYTES })
  const LanguageCode = await comprehendLanguage(tools, text, task.input.language)
  const fields = { ...task.params, Text: text, LanguageCode }
  const original = await askAmazon(tools, 'comprehend', 'DetectKeyPhrases', fields, readReply)
  const found = original.KeyPhrases.toSorted((one, other) => other.Score - one.Score)
  const items = found.map(({ Text, Score }) => ({ keyword: Text, importance: score(Score) }))
  return { output: { items }, original, units: billedCharacters(text, COMPREHEND_METER) }
})
