import { readMistral } from '../../vendors/mistral/ocr.ts'
import { adapter } from '../../feature.ts'
import ocr from './feature.ts'

export default adapter(ocr, async (task, tools) => {
  const { original, pages, text, units } = await readMistral(tools, task)
  const output = { text, bounding_boxes: [], pages: pages.map(({ markdown }) => ({ text: markdown })) }
  return { output, original, units }
})
