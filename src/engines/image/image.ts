import type { ReadPage } from '../../engine-api/engines.ts'
import { openImage } from './decoded-image.ts'
import { recognize } from './tesseract.ts'

/** What Tesseract opens by itself; of TIFF it knows only some kinds. */
const OWN = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/bmp']
/** About A4 at 400 dots per inch: more takes longer and is read no better. */
const MAX_PIXELS = 16_000_000

/** What is written in a picture; a TIFF file may have several. */
export async function readImage({ bytes }: { bytes: Uint8Array }): Promise<{ pages: ReadPage[] }> {
  const pages: ReadPage[] = []
  for await (const { bytes: plain, size } of openImage(bytes, { own: OWN, maxPixels: MAX_PIXELS }))
    pages.push({ lines: recognize(plain, size) })
  return { pages }
}
