import Type from '../../../../base/schema/type.ts'
import { acceptText } from '../../inputs/accept-text.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { translateLanguages } from '../../vendors/amazon/translate.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import translation from './feature.ts'

// https://docs.aws.amazon.com/translate/latest/APIReference/API_TranslateText.html

const MAX_BYTES = 10_000

const readReply = replyReader(Type.Object({ TranslatedText: Type.String() }))

export default adapter(translation, async (task, tools) => {
  const { text } = task.input
  const fields = {
    ...task.params,
    Text: acceptText(text, { bytes: MAX_BYTES }),
    ...translateLanguages(task.input),
  }
  const original = await askAmazon(tools, 'translate.TranslateText', fields, readReply)
  return { output: { text: original.TranslatedText }, original, units: measuredUnits(translation, task) }
})
