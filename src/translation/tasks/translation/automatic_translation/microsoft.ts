import Type from '../../../../base/schema/type.ts'
import { acceptText } from '../../inputs/accept-text.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { queryOf } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { languageTag, namedLanguage } from '../../fields/language.ts'
import { measuredUnits } from '../../measured-units.ts'
import translation from './feature.ts'

// https://learn.microsoft.com/azure/ai-services/translator/text-translation/reference/v3/translate

const MAX_CHARACTERS = 50_000

const readReply = replyReader(
  Type.Array(Type.Object({ translations: Type.Array(Type.Object({ text: Type.String() }), { minItems: 1 }) }), {
    minItems: 1,
  }),
)

export default adapter(translation, async (task, tools) => {
  const { text, source_language } = task.input
  const to = languageTag(task.input.target_language)
  const Text = acceptText(text, { characters: MAX_CHARACTERS })
  const query = queryOf({ ...task.params, 'api-version': '3.0', to, from: namedLanguage(source_language) })
  const payload = { type: 'application/json', body: JSON.stringify([{ Text }]) }
  const original = await askForJson(tools, { path: `/translator/text/v3.0/translate${query}`, payload }, readReply)
  const output = { text: original[0]!.translations[0]!.text }
  return { output, original, units: measuredUnits(translation, task) }
})
