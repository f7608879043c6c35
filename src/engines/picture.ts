import type { ReadPage } from '../contract/engines.ts'
import { openPicture } from './plain-picture.ts'
import { recognize } from './tesseract.ts'

/** What Tesseract opens by itself; of TIFF it knows only some kinds. */
const OWN = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/bmp']
/** About A4 at 400 dots per inch: more takes longer and is read no better. */
const MOST_PIXELS = 16_000_000

/** What is written in a picture; a TIFF file may have several. */
export async function readPicture({ bytes }: { bytes: Uint8Array }): Promise<{ pages: ReadPage[] }> {
  const pages: ReadPage[] = []
  for await (const { bytes: plain, size } of openPicture(bytes, { own: OWN, mostPixels: MOST_PIXELS }))
    pages.push({ lines: recognize(plain, size) })
  return { pages }
}
