import type { ReadPage } from '../../engine-api/engines.ts'
import { layOutPage, type PageRequest } from './lay-out-page.ts'
import { recognize } from '../image/tesseract.ts'

/** Reads a scanned page: renders its images as shown and recognizes the text. */
export async function readScan(request: PageRequest): Promise<ReadPage> {
  const painted = await layOutPage(request)
  if (!painted) return { lines: [] }
  const { width, height, grey } = painted
  return { lines: recognize(greyMap(width, height, grey), { width, height }) }
}

/** The simplest image format. */
function greyMap(width: number, height: number, grey: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), grey])
}
