import Type from '../../../../base/schema/type.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { boxOf, NOWHERE } from '../../results/box-of.ts'
import { adapter } from '../../feature.ts'
import { askSentisight } from '../../vendors/sentisight.ts'
import ocr from './feature.ts'

const Point = Type.Object({ x: Type.Number(), y: Type.Number() })
const readReply = replyReader(Type.Array(Type.Object({ label: Type.String(), points: Type.Array(Point) })))

export default adapter(ocr, async (task, tools) => {
  const options = { model: 'Text-recognition', lang: task.input.language }
  const { original, size } = await askSentisight(tools, task, options, readReply)
  const bounding_boxes = original.map(({ label, points }) => {
    return { text: label, ...((size && boxOf(points, size.width, size.height)) ?? NOWHERE) }
  })
  return { output: { text: original.map(({ label }) => label).join('\n'), bounding_boxes }, original, units: 1 }
})
