import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { imagePayload } from '../../vendors/microsoft/image.ts'
import { queryOf } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import logoDetection from './feature.ts'

// https://learn.microsoft.com/azure/ai-services/computer-vision/concept-brand-detection. Positions are in pixels.

const Pixels = Type.Number()
const Brand = Type.Object({
  name: Type.String(),
  confidence: Type.Number(),
  rectangle: Type.Object({ x: Pixels, y: Pixels, w: Pixels, h: Pixels }),
})
const readReply = replyReader(Type.Object({ brands: Type.Array(Brand) }))

export default adapter(logoDetection, async (task, tools) => {
  const payload = await imagePayload(task.files.file!)
  const path = `/vision/v3.2/analyze${queryOf({ ...task.params, visualFeatures: 'Brands' })}`
  const original = await askForJson(tools, { path, payload }, readReply)
  const brands = likelyDetections(original.brands, ({ confidence }) => confidence)
  const items = brands.map(({ name, confidence, rectangle: { x, y, w, h } }) => ({
    bounding_poly: {
      vertices: [
        { x, y },
        { x: x + w, y },
        { x: x + w, y: y + h },
        { x, y: y + h },
      ],
    },
    description: name,
    score: score(confidence),
  }))
  return { output: { items }, original, units: measuredUnits(logoDetection, task) }
})
