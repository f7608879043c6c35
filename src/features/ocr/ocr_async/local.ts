import type { ReadWord } from '../../../contract/engines.ts'
import { readLocally, textOf } from '../../calls/local-reading.ts'
import { adapter } from '../../feature.ts'
import ocrAsync from './feature.ts'

export default adapter(ocrAsync, async (task, tools) => {
  const original = await readLocally(tools, task.files.file!)
  const pages = original.map(({ lines }) => ({
    lines: lines.map((line) => ({ ...toPassage(line), words: line.words.map(toPassage) })),
  }))
  const output = { raw_text: textOf(original), pages, number_of_pages: pages.length }
  return { output, original: { pages: original }, units: pages.length }
})

function toPassage({ text, box, confidence }: ReadWord) {
  return { text, bounding_box: box, confidence }
}
