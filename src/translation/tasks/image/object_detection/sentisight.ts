import Type from '../../../../base/schema/type.ts'
import { score } from '../../fields/score.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { extentOf, NO_EXTENT, pixelBox } from '../../results/box-of.ts'
import { likelyDetections } from '../../results/likely-detections.ts'
import { adapter } from '../../feature.ts'
import { askSentisight, fractionOf } from '../../vendors/sentisight.ts'
import objectDetection from './feature.ts'

const Thing = Type.Object({
  label: Type.String(),
  score: Type.Number({ minimum: 0 }),
  x0: Type.Number(),
  y0: Type.Number(),
  x1: Type.Number(),
  y1: Type.Number(),
})
const readReply = replyReader(Type.Array(Thing))

export default adapter(objectDetection, async (task, tools) => {
  const { original, size } = await askSentisight(tools, task, { model: 'Object-detection' }, readReply)
  const found = original.map(({ label, score: percent, x0, y0, x1, y1 }) => {
    const box = pixelBox({ left: x0, top: y0, width: x1 - x0, height: y1 - y0 }, size)
    return { label, confidence: score(fractionOf(percent)), ...(box ? extentOf(box) : NO_EXTENT) }
  })
  const items = likelyDetections(found, ({ confidence }) => confidence)
  return { output: { items }, original, units: 1 }
})
