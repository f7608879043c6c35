import Type from '../../../../base/schema/type.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { aiPrediction } from '../../results/predictions.ts'
import { publicAddress } from '../../http/public-address.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { ReportedScore, score } from '../../fields/score.ts'
import aiDetection from './feature.ts'

// https://docs.gowinston.ai/api-reference/v2/image-detection/post. Winston fetches the image itself. Its `score` is the
// probability in percent that the image is human-made.

const ACCEPTED = { types: ['image/jpeg', 'image/png', 'image/webp'] }

const readReply = replyReader(Type.Object({ ai_probability: ReportedScore }))

export default adapter(aiDetection, async (task, tools) => {
  const url = await publicAddress(task.input.file, acceptFile(task.files.file!, ACCEPTED), tools)
  const payload = jsonPayload({ ...task.params, url })
  const original = await askForJson(tools, { path: '/image-detection', payload }, readReply)
  const ai_score = score(original.ai_probability)
  return { output: { ai_score, prediction: aiPrediction(ai_score) }, original, units: 1 }
})
