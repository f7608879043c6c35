import Type from '../../../../base/schema/type.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { NOWHERE } from '../../results/box-of.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { amazonBox, type Block, Blocks, blocksOf, byPage, readPages } from '../../vendors/amazon/textract.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import ocr from './feature.ts'

// https://docs.aws.amazon.com/textract/latest/dg/API_DetectDocumentText.html. Amazon detects the language.

const readReply = replyReader(Type.Object({ Blocks }))

export default adapter(ocr, async (task, tools) => {
  const replies = await readPages(tools, task.files.file!, (Document) => {
    return askAmazon(tools, 'textract.DetectDocumentText', { ...task.params, Document }, readReply)
  })
  const blocks = replies.flatMap(({ Blocks: found }) => found)
  const text = textOf(blocks)
  const pages = replies.flatMap(({ Blocks: found }) => pagesOf(found)).map((page) => ({ text: textOf(page) }))
  const bounding_boxes = blocksOf(blocks, 'WORD').map(({ Text = null, Geometry }) => {
    return { text: Text, ...(Geometry ? amazonBox(Geometry.BoundingBox) : NOWHERE) }
  })
  const original = replies.length > 1 ? replies : replies[0]
  return { output: { text, bounding_boxes, pages }, original, units: measuredUnits(ocr, task) }
})

/** A reply is about one page, unless the file is a picture with several. */
function pagesOf(blocks: readonly Block[]): Block[][] {
  return byPage(blocks, Math.max(1, blocksOf(blocks, 'PAGE').length))
}

function textOf(blocks: readonly Block[]): string {
  return blocksOf(blocks, 'LINE')
    .map(({ Text = '' }) => Text)
    .join('\n')
}
