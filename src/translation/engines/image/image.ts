import type { ReadPage } from '../../engine-api/engines.ts'
import { openImage } from './decoded-image.ts'
import { pixelsFor } from './image-limits.ts'
import { recognize } from './tesseract.ts'

/** Formats that Tesseract decodes itself; it supports only some kinds of TIFF. */
const OWN = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/bmp']
/** About A4 at 400 dots per inch: more pixels take longer without better results. Tesseract holds up to 26 bytes for each. */
const MAX_PIXELS = pixelsFor(26, 16_000_000)

/** The text in an image; a TIFF file may have several pages. */
export async function readImage({ bytes }: { bytes: Uint8Array }): Promise<{ pages: ReadPage[] }> {
  const pages: ReadPage[] = []
  for await (const { bytes: plain, size } of openImage(bytes, { own: OWN, maxPixels: MAX_PIXELS }))
    pages.push({ lines: recognize(plain, size) })
  return { pages }
}
