import { type MistralPage, readMistral } from '../../vendors/mistral/ocr.ts'
import { adapter } from '../../feature.ts'
import ocrAsync from './feature.ts'

export default adapter(ocrAsync, async (task, tools) => {
  const { original, pages, text, units } = await readMistral(tools, task)
  const output = { raw_text: text, pages: pages.map((page) => ({ lines: linesOf(page) })), number_of_pages: units }
  return { output, original, units }
})

function linesOf({ markdown }: MistralPage) {
  const lines = markdown.split('\n').filter((line) => line.trim() !== '')
  return lines.map((text) => ({ text, words: [], bounding_box: null, confidence: null }))
}
