import { getResolvedPDFJS } from 'unpdf'
import { openFullPdf } from './open-full-pdf.ts'
import { openPdf, type PdfDocument } from './open-pdf.ts'
import { paintPage } from './paint-page.ts'
import { imagesOf } from './page-images.ts'
import { Unreadable } from '../pool/unreadable.ts'

export type PageRequest = { bytes: Uint8Array; page: number }

/** Paints the images of a page as they are shown; undefined if it has none. */
export async function layOutPage(request: PageRequest) {
  const { OPS } = await getResolvedPDFJS()
  const plain = await laidOut(await openPdf(request.bytes), OPS, request.page)
  return (plain.undecoded === 0 ? plain : await laidOutFully(request)).painted
}

async function laidOutFully({ bytes, page: number }: PageRequest) {
  const { document, OPS } = await openFullPdf(bytes)
  const page = await laidOut(document, OPS, number)
  if (page.painted) return page
  throw new Unreadable(`Page ${number} is a scan that is damaged or uses an unsupported compression`)
}

async function laidOut(document: PdfDocument, OPS: Record<string, number>, number: number) {
  try {
    const page = await document.getPage(number)
    const { images, undecoded } = await imagesOf(page, OPS)
    const viewport = page.getViewport({ scale: 1 })
    return { painted: images.length > 0 ? paintPage(images, viewport) : undefined, undecoded }
  } finally {
    await document.loadingTask.destroy()
  }
}
