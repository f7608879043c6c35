import Type from '../../../../base/schema/type.ts'
import { acceptText } from '../../inputs/accept-text.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { languageTag, namedLanguage } from '../../fields/language.ts'
import { measuredUnits } from '../../measured-units.ts'
import translation from './feature.ts'

// https://cloud.google.com/translate/docs/reference/rest/v2/translate

const MAX_CHARACTERS = 30_000

const readReply = replyReader(
  Type.Object({
    data: Type.Object({ translations: Type.Array(Type.Object({ translatedText: Type.String() }), { minItems: 1 }) }),
  }),
)

export default adapter(translation, async (task, tools) => {
  const { text, source_language } = task.input
  const target = languageTag(task.input.target_language)
  const q = acceptText(text, { characters: MAX_CHARACTERS })
  const languages = { target, source: namedLanguage(source_language), model: task.model }
  // With the default format, HTML, quotes would come back as entities.
  const payload = jsonPayload({ format: 'text', ...task.params, ...languages, q })
  const path = '/language/translate/v2'
  const original = await askForJson(tools, { service: 'translation', path, payload }, readReply)
  const output = { text: original.data.translations[0]!.translatedText }
  return { output, original, units: measuredUnits(translation, task) }
})
