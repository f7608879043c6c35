import type { ReadPage } from '../contract/engines.ts'
import { openPdf } from './open-pdf.ts'
import { paintPage } from './paint-page.ts'
import { picturesOf } from './page-pictures.ts'
import { recognize } from './tesseract.ts'
import { Unreadable } from './unreadable.ts'

/** A page that is a picture of a page: its pictures are laid out as they are shown, and what is written there is read. */
export async function readScan({ bytes, page: number }: { bytes: Uint8Array; page: number }): Promise<ReadPage> {
  const document = await openPdf(bytes)
  try {
    const page = await document.getPage(number)
    const { pictures, undecoded } = await picturesOf(page)
    if (pictures.length === 0 && undecoded > 0)
      throw new Unreadable(`Page ${number} is a scan that is packed in a way that cannot be unpacked here`)
    if (pictures.length === 0) return { lines: [] }
    const { width, height, grey } = paintPage(pictures, page.getViewport({ scale: 1 }))
    return { lines: recognize(greyMap(width, height, grey), { width, height }) }
  } finally {
    await document.loadingTask.destroy()
  }
}

/** The plainest picture file there is. */
function greyMap(width: number, height: number, grey: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), grey])
}
