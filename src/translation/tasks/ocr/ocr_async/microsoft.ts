import { type AnalysisTicket, pageBox, startAnalysis, stopAnalysis } from '../../vendors/microsoft/documents.ts'
import { pollReading, type ReadPage, wordsOf } from '../../vendors/microsoft/read.ts'
import { slowAdapter } from '../../feature.ts'
import ocrAsync from './feature.ts'
import { score } from '../../fields/score.ts'

const NO_BOX = { left: 0, top: 0, width: 0, height: 0 }

export default slowAdapter(ocrAsync, {
  start: (task, tools) => startAnalysis(tools, 'prebuilt-read', task.files.file!, task.params),
  poll: async (ticket: AnalysisTicket, tools) => {
    const original = await pollReading(ticket, tools)
    if (original === 'pending') return 'pending'
    const pages = original.pages.map((page) => ({ lines: linesOf(page) }))
    const output = { raw_text: original.content, pages, number_of_pages: pages.length }
    return { output, original, units: Math.max(1, pages.length) }
  },
  cancel: stopAnalysis,
})

function linesOf(page: ReadPage) {
  return (page.lines ?? []).map((line) => ({
    text: line.content,
    words: wordsOf(line, page).map(({ content, polygon, confidence }) => ({
      text: content,
      bounding_box: pageBox(polygon, page) ?? NO_BOX,
      confidence: confidence === undefined ? null : score(confidence),
    })),
    bounding_box: pageBox(line.polygon, page) ?? null,
    confidence: null,
  }))
}
