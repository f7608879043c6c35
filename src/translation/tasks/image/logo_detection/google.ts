import Type from '../../../../base/schema/type.ts'
import { Poly, imageAnnotation } from '../../vendors/google/vision.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import logoDetection from './feature.ts'

// Positions are in pixels.

const Logo = Type.Object({
  description: Type.Optional(Type.String()),
  score: Type.Optional(Type.Number()),
  boundingPoly: Type.Optional(Poly),
})
const find = imageAnnotation('LOGO_DETECTION', Type.Object({ logoAnnotations: Type.Optional(Type.Array(Logo)) }))

export default adapter(logoDetection, async (task, tools) => {
  const { original, found } = await find(tools, task.files.file!, {}, task.params)
  const logos = likelyDetections(found.logoAnnotations ?? [], ({ score: sure = 0 }) => sure)
  // Google omits every number that is zero.
  const items = logos.map(({ description = null, score: sure = 0, boundingPoly }) => ({
    bounding_poly: { vertices: boundingPoly?.vertices?.map(({ x = 0, y = 0 }) => ({ x, y })) ?? null },
    description,
    score: score(sure),
  }))
  return { output: { items }, original, units: measuredUnits(logoDetection, task) }
})
