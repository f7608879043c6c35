import Type from '../../../contract/type.ts'
import { acceptFile } from '../../calls/accept-file.ts'
import { askForJson } from '../../calls/ask-provider.ts'
import { jsonPayload } from '../../calls/payload.ts'
import { aiPrediction } from '../../calls/predictions.ts'
import { publicAddress } from '../../calls/public-address.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { score, scoreField } from '../../score.ts'
import aiDetection from './feature.ts'

// https://docs.gowinston.ai/api-reference/v2/image-detection/post. It fetches the picture itself. Its `score` is how human
// the picture is, in percent.

const ACCEPTED = { types: ['image/jpeg', 'image/png', 'image/webp'] }

const readReply = replyReader(Type.Object({ ai_probability: scoreField('How likely a machine made it.') }))

export default adapter(aiDetection, async (task, tools) => {
  const url = await publicAddress(task.input.file, acceptFile(task.files.file!, ACCEPTED), tools)
  const payload = jsonPayload({ ...task.params, url })
  const original = await askForJson(tools, { path: '/image-detection', payload }, readReply)
  const ai_score = score(original.ai_probability)
  return { output: { ai_score, prediction: aiPrediction(ai_score) }, original, units: 1 }
})
