import Type from '../../../../base/schema/type.ts'
import { boxOf, extentOf, NO_EXTENT } from '../../results/box-of.ts'
import { Poly, imageAnnotation } from '../../vendors/google/vision.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import objectDetection from './feature.ts'

const Thing = Type.Object({
  name: Type.String(),
  score: Type.Optional(Type.Number()),
  boundingPoly: Type.Optional(Poly),
})
const locate = imageAnnotation(
  'OBJECT_LOCALIZATION',
  Type.Object({ localizedObjectAnnotations: Type.Optional(Type.Array(Thing)) }),
)

export default adapter(objectDetection, async (task, tools) => {
  const { original, found } = await locate(tools, task.files.file!, {}, task.params)
  const items = likelyDetections(found.localizedObjectAnnotations ?? [], ({ score: sure = 0 }) => sure).map((thing) => {
    const { name, score: sure = 0, boundingPoly } = thing
    const box = boxOf(boundingPoly?.normalizedVertices ?? [])
    return { label: name, confidence: score(sure), ...(box ? extentOf(box) : NO_EXTENT) }
  })
  return { output: { items }, original, units: measuredUnits(objectDetection, task) }
})
