import Type from '../../../schema/type.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { NOWHERE } from '../../results/box-of.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { amazonBox, Blocks, blocksOf, documentAtOnce } from '../../vendors/amazon/textract.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import ocr from './feature.ts'

// https://docs.aws.amazon.com/textract/latest/dg/API_DetectDocumentText.html. Amazon detects the language.

const readReply = replyReader(Type.Object({ Blocks }))

export default adapter(ocr, async (task, tools) => {
  const fields = { ...task.params, Document: await documentAtOnce(task.files.file!) }
  const original = await askAmazon(tools, 'textract.DetectDocumentText', fields, readReply)
  const text = blocksOf(original.Blocks, 'LINE').map((line) => line.Text)
  const bounding_boxes = blocksOf(original.Blocks, 'WORD').map(({ Text = null, Geometry }) => {
    return { text: Text, ...(Geometry ? amazonBox(Geometry.BoundingBox) : NOWHERE) }
  })
  return { output: { text: text.join('\n'), bounding_boxes }, original, units: measuredUnits(ocr, task) }
})
