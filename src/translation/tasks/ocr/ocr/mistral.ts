import { readMistral } from '../../vendors/mistral/ocr.ts'
import { adapter } from '../../feature.ts'
import ocr from './feature.ts'

export default adapter(ocr, async (task, tools) => {
  const { original, text, units } = await readMistral(tools, task)
  return { output: { text, bounding_boxes: [] }, original, units }
})
