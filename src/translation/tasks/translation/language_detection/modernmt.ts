import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { languageName } from '../../inputs/language-tags.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import languageDetection from './feature.ts'

// https://www.modernmt.com/api/#language-detection. It names one language without a confidence.

const readReply = replyReader(
  Type.Object({
    data: Type.Object({
      detectedLanguage: Type.String({ minLength: 2 }),
      billedCharacters: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
  }),
)

export default adapter(languageDetection, async (task, tools) => {
  const payload = jsonPayload({ ...task.params, q: task.input.text })
  const question = { path: '/translate/detect', payload, headers: { 'x-http-method-override': 'GET' } }
  const original = await askForJson(tools, question, readReply)
  const { detectedLanguage: language, billedCharacters } = original.data
  const items = [{ language, display_name: languageName(language), confidence: null }]
  return { output: { items }, original, units: billedCharacters ?? measuredUnits(languageDetection, task) }
})
