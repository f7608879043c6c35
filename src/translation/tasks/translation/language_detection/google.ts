import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { languageName } from '../../inputs/language-tags.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import detection from './feature.ts'

// https://cloud.google.com/translate/docs/reference/rest/v2/detect

const Guess = Type.Object({ language: Type.String(), confidence: Type.Optional(Type.Number()) })
const readReply = replyReader(
  Type.Object({ data: Type.Object({ detections: Type.Array(Type.Array(Guess), { minItems: 1 }) }) }),
)

export default adapter(detection, async (task, tools) => {
  const payload = jsonPayload({ ...task.params, q: task.input.text })
  const path = '/language/translate/v2/detect'
  const original = await askForJson(tools, { service: 'translation', path, payload }, readReply)
  const items = original.data.detections[0]!.map(({ language, confidence }) => {
    return {
      language,
      display_name: languageName(language),
      confidence: confidence === undefined ? null : score(confidence),
    }
  })
  return { output: { items }, original, units: measuredUnits(detection, task) }
})
