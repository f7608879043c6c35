import { openPdf } from './open-pdf.ts'
import type { PageRequest } from './lay-out-page.ts'
import { Unreadable } from '../pool/unreadable.ts'

/** A document with one page of another, for providers that read one page at a time. */
export async function extractPage({ bytes, page }: PageRequest): Promise<{ bytes: Uint8Array }> {
  const document = await openPdf(bytes)
  try {
    const found = await document.extractPages([{ document: null, includePages: [page - 1] }])
    if (!found) throw new Unreadable(`Page ${page} of this PDF file cannot be copied`)
    return { bytes: found }
  } finally {
    await document.loadingTask.destroy()
  }
}
