import { score } from '../../fields/score.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { askClarifai, extentOfRegion, likeliestConcept } from '../../vendors/clarifai.ts'
import objectDetection from './feature.ts'

// https://clarifai.com/clarifai/main/models/general-image-detection

export default adapter(objectDetection, async (task, tools) => {
  const { original, regions } = await askClarifai(tools, task, 'general-image-detection')
  const found = regions.flatMap((region) => {
    const named = likeliestConcept(region)
    return named ? [{ label: named.name, confidence: score(named.value), ...extentOfRegion(region) }] : []
  })
  const items = likelyDetections(found, ({ confidence }) => confidence)
  return { output: { items }, original, units: 1 }
})
