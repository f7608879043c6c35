import type { ReadPage } from '../contract/engines.ts'
import { layOutPage, type PageAsked } from './lay-out-page.ts'
import { recognize } from './tesseract.ts'

/** A page that is a picture of a page: its pictures are laid out as they are shown, and what is written there is read. */
export async function readScan(asked: PageAsked): Promise<ReadPage> {
  const painted = await layOutPage(asked)
  if (!painted) return { lines: [] }
  const { width, height, grey } = painted
  return { lines: recognize(greyMap(width, height, grey), { width, height }) }
}

/** The plainest picture file there is. */
function greyMap(width: number, height: number, grey: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), grey])
}
