import Type from '../../../contract/type.ts'
import { acceptText } from '../../calls/accept-text.ts'
import { askAmazon } from '../../calls/amazon.ts'
import { translateLanguages } from '../../calls/amazon-translate.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import translation from './feature.ts'

// https://docs.aws.amazon.com/translate/latest/APIReference/API_TranslateText.html

const MOST_BYTES = 10_000

const readReply = replyReader(Type.Object({ TranslatedText: Type.String() }))

export default adapter(translation, async (task, tools) => {
  const { text } = task.input
  const fields = {
    ...task.params,
    Text: acceptText(text, { bytes: MOST_BYTES }),
    ...translateLanguages(task.input),
  }
  const original = await askAmazon(tools, 'translate', 'TranslateText', fields, readReply)
  return { output: { text: original.TranslatedText }, original, units: measuredUnits(translation, task) }
})
