import { score } from '../../fields/score.ts'
import { cornersOf } from '../../results/box-of.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { askClarifai, extentOfRegion, likeliestConcept } from '../../vendors/clarifai.ts'
import logoDetection from './feature.ts'

// https://clarifai.com/clarifai/main/models/logo-detection-v2

export default adapter(logoDetection, async (task, tools) => {
  const { original, regions } = await askClarifai(tools, task, 'logo-detection-v2')
  const found = regions.flatMap((region) => {
    const named = likeliestConcept(region)
    if (!named) return []
    const vertices = cornersOf(extentOfRegion(region))
    return [{ bounding_poly: { vertices }, description: named.name, score: score(named.value) }]
  })
  return { output: { items: likelyDetections(found, (logo) => logo.score) }, original, units: 1 }
})
