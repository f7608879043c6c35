import { withBlanks } from '../../fields/blanks.ts'
import { Face } from '../../fields/face.ts'
import { score } from '../../fields/score.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { askClarifai, extentOfRegion, likeliestConcept } from '../../vendors/clarifai.ts'
import faceDetection from './feature.ts'

// https://clarifai.com/clarifai/main/models/face-detection. It reports where faces are, and nothing else about them.

export default adapter(faceDetection, async (task, tools) => {
  const { original, regions } = await askClarifai(tools, task, 'face-detection')
  const faces = regions.map((region) =>
    withBlanks(Face, {
      confidence: score(likeliestConcept(region)?.value ?? region.value ?? 0),
      bounding_box: extentOfRegion(region),
    }),
  )
  return { output: { items: likelyDetections(faces, ({ confidence }) => confidence) }, original, units: 1 }
})
