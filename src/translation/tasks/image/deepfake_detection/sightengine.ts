import Type from '../../../../base/schema/type.ts'
import { deepfakePrediction } from '../../results/predictions.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { askSightengine } from '../../vendors/sightengine.ts'
import { score, scoreField } from '../../fields/score.ts'
import deepfakeDetection from './feature.ts'

// https://sightengine.com/docs/deepfake-detection

const readReply = replyReader(Type.Object({ type: Type.Object({ deepfake: scoreField('Probability of a fake.') }) }))

export default adapter(deepfakeDetection, async (task, tools) => {
  const original = await askSightengine(tools, task, 'deepfake', readReply)
  const deepfake_score = score(original.type.deepfake)
  return { output: { deepfake_score, prediction: deepfakePrediction(deepfake_score) }, original, units: 1 }
})
