import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { boxOf, extentOf, NO_EXTENT } from '../../results/box-of.ts'
import { PixelSize, imagePayload } from '../../vendors/microsoft/image.ts'
import { queryOf } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import { score } from '../../fields/score.ts'
import objectDetection from './feature.ts'

// https://learn.microsoft.com/rest/api/computervision/image-analysis/analyze-image-from-stream

const REQUEST = { features: 'objects', 'api-version': '2024-02-01' }

const Pixels = Type.Number()
const Thing = Type.Object({
  boundingBox: Type.Object({ x: Pixels, y: Pixels, w: Pixels, h: Pixels }),
  tags: Type.Array(Type.Object({ name: Type.String(), confidence: Type.Number() })),
})
const readReply = replyReader(
  Type.Object({ metadata: PixelSize, objectsResult: Type.Object({ values: Type.Array(Thing) }) }),
)

export default adapter(objectDetection, async (task, tools) => {
  const payload = await imagePayload(task.files.file!)
  const path = `/computervision/imageanalysis:analyze${queryOf({ ...task.params, ...REQUEST })}`
  const original = await askForJson(tools, { path, payload }, readReply)
  const { width, height } = original.metadata
  const found = original.objectsResult.values.flatMap(({ boundingBox: { x, y, w, h }, tags }) => {
    const corners = [
      { x, y },
      { x: x + w, y: y + h },
    ]
    const box = boxOf(corners, width, height)
    const extent = box ? extentOf(box) : NO_EXTENT
    return tags.map(({ name, confidence }) => ({ label: name, confidence: score(confidence), ...extent }))
  })
  const items = likelyDetections(found, ({ confidence }) => confidence)
  return { output: { items }, original, units: measuredUnits(objectDetection, task) }
})
