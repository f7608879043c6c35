import { dropTextract, pollTextract, startTextract, type TextractTicket } from '../../vendors/amazon/textract-job.ts'
import {
  amazonBox,
  type Block,
  blocksOf,
  byPage,
  partsFinder,
  fractionOfPercent,
} from '../../vendors/amazon/textract.ts'
import { slowAdapter } from '../../feature.ts'
import ocrAsync from './feature.ts'

// https://docs.aws.amazon.com/textract/latest/dg/API_StartDocumentTextDetection.html

export default slowAdapter(ocrAsync, {
  start: (task, tools) => startTextract(tools, 'DocumentTextDetection', task.files.file!, task.params),
  poll: async (ticket: TextractTicket, tools) => {
    const state = await pollTextract(tools, 'DocumentTextDetection', ticket)
    if (state === 'pending') return 'pending'
    const { blocks, pages: number_of_pages } = state
    const partsOf = partsFinder(blocks)
    const lines = blocksOf(blocks, 'LINE')
    const pages = byPage(lines, number_of_pages).map((page) => ({
      lines: page.map((line) => toLine(line, partsOf(line))),
    }))
    const raw_text = lines.map(({ Text = '' }) => Text).join('\n')
    return { output: { raw_text, pages, number_of_pages }, original: blocks, units: number_of_pages }
  },
  cancel: dropTextract,
})

function toLine(line: Block, words: Block[]) {
  return { ...toPiece(line), words: words.map(toPiece) }
}

function toPiece({ Text = '', Geometry, Confidence }: Block) {
  const box = Geometry?.BoundingBox ?? { Left: 0, Top: 0, Width: 0, Height: 0 }
  return { text: Text, bounding_box: amazonBox(box), confidence: fractionOfPercent(Confidence) }
}
