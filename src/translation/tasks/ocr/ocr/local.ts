import { readLocally } from '../../vendors/local/reading.ts'
import { textOf } from '../../vendors/local/read-document.ts'
import { adapter } from '../../feature.ts'
import ocr from './feature.ts'

export default adapter(ocr, async (task, tools) => {
  const pages = await readLocally(tools, task.files.file!, task.input.language)
  const words = pages.flatMap(({ lines }) => lines.flatMap(({ words }) => words))
  const bounding_boxes = words.map(({ text, box }) => ({ text, ...box }))
  return { output: { text: textOf(pages), bounding_boxes }, original: { pages }, units: pages.length }
})
