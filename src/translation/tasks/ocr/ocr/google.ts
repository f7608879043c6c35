import { NOWHERE } from '../../results/box-of.ts'
import { readGoogle } from '../../vendors/google/reading.ts'
import { adapter } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import ocr from './feature.ts'

export default adapter(ocr, async (task, tools) => {
  const language = namedLanguage(task.input.language)
  const hints = language ? { languageHints: [language] } : undefined
  const { readings, texts, pages } = await readGoogle(tools, task.files.file!, hints, task.params)
  const bounding_boxes = pages.flat().map(({ text, box }) => ({ text, ...(box ?? NOWHERE) }))
  const output = {
    text: texts.join('\n').trimEnd(),
    bounding_boxes,
    pages: texts.map((text) => ({ text: text.trimEnd() })),
  }
  return { output, original: readings, units: pages.length }
})
