import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { DEEPL_PROOF, deeplLanguages } from '../../vendors/deepl.ts'
import { measuredUnits } from '../../measured-units.ts'
import automaticTranslation from './feature.ts'

// https://developers.deepl.com/docs/api-reference/translate

const Translation = Type.Object({
  text: Type.String(),
  billed_characters: Type.Optional(Type.Integer({ minimum: 0 })),
})

const readReply = replyReader(Type.Object({ translations: Type.Array(Translation, { minItems: 1, maxItems: 1 }) }))

export default adapter(automaticTranslation, async (task, tools) => {
  const options = { model_type: task.model, ...deeplLanguages(task.input) }
  const fixed = { text: [task.input.text], show_billed_characters: true }
  const payload = jsonPayload({ ...options, ...task.params, ...fixed })
  const original = await askForJson(tools, { path: '/translate', payload, proof: DEEPL_PROOF }, readReply)
  const { text, billed_characters } = original.translations[0]!
  return { output: { text }, original, units: billed_characters ?? measuredUnits(automaticTranslation, task) }
})
