import { NOWHERE } from '../../results/box-of.ts'
import { analyzed, pageBox, startAnalysis } from '../../vendors/microsoft/documents.ts'
import { pollReading } from '../../vendors/microsoft/read.ts'
import { adapter } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import ocr from './feature.ts'

export default adapter(ocr, async (task, tools) => {
  const locale = namedLanguage(task.input.language)
  const query = { ...(locale && { locale }), ...task.params }
  const ticket = await startAnalysis(tools, 'prebuilt-read', task.files.file!, query)
  const original = await analyzed(tools, ticket, pollReading)
  const bounding_boxes = original.pages.flatMap((page) => {
    return (page.words ?? []).map(({ content, polygon }) => ({ text: content, ...(pageBox(polygon, page) ?? NOWHERE) }))
  })
  const pages = original.pages.map(({ lines = [] }) => ({ text: lines.map(({ content }) => content).join('\n') }))
  const output = { text: original.content, bounding_boxes, pages }
  return { output, original, units: Math.max(1, pages.length) }
})
