import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { languageTag, namedLanguage } from '../../fields/language.ts'
import { measuredUnits } from '../../measured-units.ts'
import automaticTranslation from './feature.ts'

// https://www.modernmt.com/api/#translation. Requests are GETs; a text that is too long for a URL is sent as a POST that says
// so.

const readReply = replyReader(
  Type.Object({
    data: Type.Object({
      translation: Type.String(),
      billedCharacters: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
  }),
)

export default adapter(automaticTranslation, async (task, tools) => {
  const { text, source_language, target_language } = task.input
  const source = namedLanguage(source_language)
  const payload = jsonPayload({ source, target: languageTag(target_language), ...task.params, q: text })
  const question = { path: '/translate', payload, headers: { 'x-http-method-override': 'GET' } }
  const original = await askForJson(tools, question, readReply)
  const units = original.data.billedCharacters ?? measuredUnits(automaticTranslation, task)
  return { output: { text: original.data.translation }, original, units }
})
