import { extentOf } from '../../results/box-of.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { askApi4ai, boxIn, likeliestClass, objectsOf } from '../../vendors/api4ai.ts'
import { score } from '../../fields/score.ts'
import objectDetection from './feature.ts'

// https://api4.ai/docs/general-det

export default adapter(objectDetection, async (task, tools) => {
  const { original, entities } = await askApi4ai(tools, task, 'general-det/v1')
  const found = objectsOf(entities).flatMap((object) => {
    const named = likeliestClass(object)
    return named ? [{ label: named[0], confidence: score(named[1]), ...extentOf(boxIn(object)) }] : []
  })
  const items = likelyDetections(found, ({ confidence }) => confidence)
  return { output: { items }, original, units: 1 }
})
