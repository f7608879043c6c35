import { readLocally } from '../../vendors/local/reading.ts'
import { textOf } from '../../vendors/local/read-document.ts'
import { adapter } from '../../feature.ts'
import ocr from './feature.ts'

export default adapter(ocr, async (task, tools) => {
  const pages = await readLocally(tools, task.files.file!, task.input.language)
  const words = pages.flatMap(({ lines }) => lines.flatMap(({ words }) => words))
  const bounding_boxes = words.map(({ text, box }) => ({ text, ...box }))
  const texts = pages.map((page) => ({ text: textOf([page]) }))
  return { output: { text: textOf(pages), bounding_boxes, pages: texts }, original: { pages }, units: pages.length }
})
