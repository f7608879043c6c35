import { getResolvedPDFJS } from 'unpdf'
import type { ReadPage } from '../contract/engines.ts'
import { openFullPdf } from './open-full-pdf.ts'
import { openPdf, type PdfDocument } from './open-pdf.ts'
import { paintPage } from './paint-page.ts'
import { picturesOf } from './page-pictures.ts'
import { recognize } from './tesseract.ts'
import { Unreadable } from './unreadable.ts'

type Asked = { bytes: Uint8Array; page: number }

/** A page that is a picture of a page: its pictures are laid out as they are shown, and what is written there is read. */
export async function readScan(asked: Asked): Promise<ReadPage> {
  const { OPS } = await getResolvedPDFJS()
  const plain = await laidOut(await openPdf(asked.bytes), OPS, asked.page)
  const page = plain.undecoded === 0 ? plain : await laidOutFully(asked)
  if (!page.painted) return { lines: [] }
  const { width, height, grey } = page.painted
  return { lines: recognize(greyMap(width, height, grey), { width, height }) }
}

async function laidOutFully({ bytes, page: number }: Asked) {
  const { document, OPS } = await openFullPdf(bytes)
  const page = await laidOut(document, OPS, number)
  if (page.painted) return page
  throw new Unreadable(`Page ${number} is a scan that is damaged, or packed in a way that cannot be unpacked here`)
}

async function laidOut(document: PdfDocument, OPS: Record<string, number>, number: number) {
  try {
    const page = await document.getPage(number)
    const { pictures, undecoded } = await picturesOf(page, OPS)
    const viewport = page.getViewport({ scale: 1 })
    return { painted: pictures.length > 0 ? paintPage(pictures, viewport) : undefined, undecoded }
  } finally {
    await document.loadingTask.destroy()
  }
}

/** The plainest picture file there is. */
function greyMap(width: number, height: number, grey: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), grey])
}
