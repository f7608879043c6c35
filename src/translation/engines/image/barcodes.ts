import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { boxAround } from './bounding-box.ts'
import { MAX_PIXELS, pixelsFor } from './image-limits.ts'
import { openImage, type DecodedImage } from './decoded-image.ts'
import { Unreadable } from '../pool/unreadable.ts'

const program = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
// Without this, ZXing would fetch the file from the network.
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(await readFile(program)).buffer } })

const MAX_CODES = 100
/** ZXing holds up to 32 bytes for each pixel. */
const DECODED_PIXELS = pixelsFor(32, MAX_PIXELS)
const OWN = ['image/png', 'image/jpeg', 'image/gif', 'image/bmp']

/** Reads all codes that ZXing supports, in any place and rotation, on the first page. */
export async function findBarcodes({ bytes }: { bytes: Uint8Array }) {
  for await (const image of openImage(bytes, { own: OWN, maxPixels: DECODED_PIXELS })) return await codesIn(image)
  return []
}

async function codesIn({ bytes, size }: DecodedImage) {
  const found = await readBarcodes(bytes, { tryHarder: true, maxNumberOfSymbols: MAX_CODES })
  if (found.some(({ error }) => /load image/i.test(error)))
    throw new Unreadable('This image is damaged or of an unknown format')
  return found
    .filter(({ isValid }) => isValid)
    .map(({ text, format, position }) => ({ text, format, box: boxAround(Object.values(position), size) }))
}
