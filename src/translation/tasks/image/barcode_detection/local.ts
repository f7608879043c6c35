import { acceptFile } from '../../inputs/accept-file.ts'
import { IMAGE_KINDS } from '../../vendors/local/reading.ts'
import { adapter } from '../../feature.ts'
import { score } from '../../fields/score.ts'
import barcodeDetection from './feature.ts'

export default adapter(barcodeDetection, async (task, tools) => {
  const file = acceptFile(task.files.file!, IMAGE_KINDS)
  const original = await tools.engine('barcodes', { bytes: await file.bytes() })
  const items = original.map(({ text, format, box: { left, top, width, height } }) => {
    const extent = { x_min: left, x_max: score(left + width), y_min: top, y_max: score(top + height) }
    return { value: text, format, ...extent }
  })
  return { output: { items }, original, units: 1 }
})
