import type { ReadLine, ReadWord } from '../../../engine-api/engines.ts'
import { readLocally } from '../../vendors/local/reading.ts'
import { textOf } from '../../vendors/local/read-document.ts'
import { adapter } from '../../feature.ts'
import ocrAsync from './feature.ts'
import { score } from '../../fields/score.ts'

type Passage<Where> = Omit<ReadWord, 'box'> & { box: Where }

export default adapter(ocrAsync, async (task, tools) => {
  const original = await readLocally(tools, task.files.file!)
  const pages = original.map(({ lines }) => ({
    lines: lines.map((line) => ({ ...toPassage(line), words: line.words.map(toPassage) })),
  }))
  const output = { raw_text: textOf(original), pages, number_of_pages: pages.length }
  return { output, original: { pages: original }, units: pages.length }
})

function toPassage<Where extends ReadLine['box']>({ text, box, confidence }: Passage<Where>) {
  return { text, bounding_box: box, confidence: confidence === null ? null : score(confidence / 100) }
}
