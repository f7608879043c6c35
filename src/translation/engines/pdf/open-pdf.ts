import { getDocumentProxy } from 'unpdf'
import { pdfjsData } from './pdfjs-data.ts'
import { MAX_PIXELS } from '../image/image-limits.ts'
import { Unreadable } from '../pool/unreadable.ts'

const MAX_PAGES = 1_000
/** Character maps for Chinese, Japanese and Korean files that use common encodings. */
const cMapUrl = pdfjsData('cmaps')
const LETTERS = cMapUrl ? { cMapUrl, cMapPacked: true } : {}

export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>
export type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>
export type Viewport = ReturnType<PdfPage['getViewport']>

/** Larger images in a document are skipped. */
export async function openPdf(bytes: Uint8Array): Promise<PdfDocument> {
  const document = await opened(bytes)
  if (document.numPages > MAX_PAGES) throw new Unreadable(`This PDF file has more than ${MAX_PAGES} pages`)
  return document
}

async function opened(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, maxImageSize: MAX_PIXELS, ...LETTERS })
  } catch (error) {
    if ((error as Error).name === 'PasswordException') throw new Unreadable('This PDF file is encrypted')
    throw new Unreadable('This PDF file is damaged: its structure cannot be read')
  }
}
