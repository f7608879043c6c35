import { cornersOf, extentOf } from '../../results/box-of.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { type Api4aiObject, askApi4ai, boxIn, likeliestClass, objectsOf } from '../../vendors/api4ai.ts'
import { score } from '../../fields/score.ts'
import logoDetection from './feature.ts'

// https://api4.ai/docs/brand-det. Version 1 reports the position of a logo, version 2 only the brand.

const VERSIONS = ['v1', 'v2']

export default adapter(logoDetection, async (task, tools) => {
  const version = task.model ?? 'v1'
  if (!VERSIONS.includes(version))
    throw new TaskFailure('model_not_found', `the model should be ${VERSIONS.join(' or ')}`)
  const { original, entities } = await askApi4ai(tools, task, `brand-det/${version}`)
  const placed = likelyDetections(objectsOf(entities).flatMap(toLogo), (logo) => logo.score)
  const named = entities.flatMap(({ strings }) => strings ?? []).map(toName)
  return { output: { items: [...placed, ...named] }, original, units: 1 }
})

function toLogo(object: Api4aiObject) {
  const [name, confidence] = likeliestClass(object) ?? []
  if (name === undefined || confidence === undefined) return []
  const vertices = cornersOf(extentOf(boxIn(object)))
  return [{ bounding_poly: { vertices }, description: name, score: score(confidence) }]
}

function toName(description: string) {
  return { bounding_poly: { vertices: null }, description, score: null }
}
