import { withBlanks } from '../../fields/blanks.ts'
import { extentOf } from '../../results/box-of.ts'
import { Face } from '../../fields/face.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { type Api4aiObject, askApi4ai, boxIn, objectsOf } from '../../vendors/api4ai.ts'
import { score } from '../../fields/score.ts'
import faceDetection from './feature.ts'

// https://api4.ai/docs/face-analyzer

export default adapter(faceDetection, async (task, tools) => {
  const { original, entities } = await askApi4ai(tools, task, 'face-analyzer/v1')
  const items = likelyDetections(objectsOf(entities).map(toFace), ({ confidence }) => confidence)
  return { output: { items }, original, units: 1 }
})

function toFace(object: Api4aiObject) {
  const confidence = object.entities.find((entity) => entity.classes?.face !== undefined)?.classes?.face ?? 0
  const points = object.entities.find((entity) => entity.namedpoints)?.namedpoints ?? {}
  const landmarks = {
    left_eye: points['left-eye'],
    right_eye: points['right-eye'],
    nose_tip: points['nose-tip'],
    mouth_left: points['mouth-left-corner'],
    mouth_right: points['mouth-right-corner'],
  }
  return withBlanks(Face, { confidence: score(confidence), landmarks, bounding_box: extentOf(boxIn(object)) })
}
