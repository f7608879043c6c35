import { MissingPackage, missingPackage } from '../pool/missing-package.ts'
import type { PdfDocument } from './open-pdf.ts'
import { pdfjsData } from './pdfjs-data.ts'
import { MAX_PIXELS } from '../image/image-limits.ts'
import { Unreadable } from '../pool/unreadable.ts'

const PACKAGE = 'pdfjs-dist'
const BACK = `${PACKAGE}/legacy/build/pdf.worker.mjs`

/** pdf.js looks for its worker in this global and leaves it there for the next edition to find. */
const fonts = globalThis as { pdfjsWorker?: unknown }

/** Also decodes what scanners use (CCITT, JBIG2, JPEG 2000), which unpdf does not support. */
export async function openFullPdf(bytes: Uint8Array): Promise<{ document: PdfDocument; OPS: Record<string, number> }> {
  const { getDocument, OPS, back } = await loaded()
  const other = fonts.pdfjsWorker
  fonts.pdfjsWorker = back
  try {
    const options = { verbosity: 0, maxImageSize: MAX_PIXELS, disableFontFace: true, wasmUrl: pdfjsData('wasm')! }
    const { promise } = getDocument({ data: new Uint8Array(bytes), ...options })
    return { document: (await promise) as unknown as PdfDocument, OPS }
  } catch {
    throw new Unreadable('This PDF file is damaged: its structure cannot be read')
  } finally {
    fonts.pdfjsWorker = other
  }
}

async function loaded() {
  const other = fonts.pdfjsWorker
  try {
    const { getDocument, OPS } = await import('pdfjs-dist/legacy/build/pdf.mjs')
    const back: unknown = await import(BACK)
    return { getDocument, OPS, back }
  } catch (error) {
    throw missingPackage(error) ? new MissingPackage(PACKAGE) : error
  } finally {
    fonts.pdfjsWorker = other
  }
}
