import Type from '../../../contract/type.ts'
import { deepfakePrediction } from '../../calls/predictions.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { askSightengine } from '../../makers/sightengine.ts'
import { score, scoreField } from '../../score.ts'
import deepfakeDetection from './feature.ts'

// https://sightengine.com/docs/deepfake-detection

const readReply = replyReader(Type.Object({ type: Type.Object({ deepfake: scoreField('How likely a fake.') }) }))

export default adapter(deepfakeDetection, async (task, tools) => {
  const original = await askSightengine(tools, task, 'deepfake', readReply)
  const deepfake_score = score(original.type.deepfake)
  return { output: { deepfake_score, prediction: deepfakePrediction(deepfake_score) }, original, units: 1 }
})
