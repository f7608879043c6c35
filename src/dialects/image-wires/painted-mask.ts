import { crc32, deflateSync } from 'node:zlib'
import { cannotTake } from '../cannot-take.ts'
import type { ImageInput } from '../image-face.ts'
import type { Notes } from '../notes.ts'
import type { ImageBytes } from './image-inputs.ts'
import { type Alpha, readAlpha } from './read-alpha.ts'

// Callers mark what to redraw by transparency. Everybody but OpenAI wants it painted, in white or in black.

/** Less than half there is to be redrawn. */
const HALF = 128
/** Masks are large plain areas: the quickest way to pack them is good enough. */
const PACKING = { level: 1 }

/** A mask without transparency is taken for one that is painted already, and travels as it is. */
export function paintedMask(mask: ImageInput, redrawn: 'white' | 'black', provider: string, notes: Notes): ImageBytes {
  if ('url' in mask) throw cannotTake(['mask'], `${provider} gets a repainted mask: send it as a file or a data URL`)
  const found = readAlpha(mask.bytes)
  if (found === null)
    throw cannotTake(
      ['mask'],
      `${provider} gets a repainted mask: send a PNG with plain transparency, of up to 4 megapixels`,
    )
  if (!found) {
    notes.translated('mask', `it has no transparency: ${provider} takes what is ${redrawn} in it`)
    return mask
  }
  notes.translated('mask', `${provider} wants it painted: what was transparent became ${redrawn}`)
  return { bytes: grayPng(found, redrawn === 'white' ? 255 : 0), mediaType: 'image/png', name: 'mask.png' }
}

function grayPng({ width, height, alpha }: Alpha, redrawn: number): Uint8Array {
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (width + 1) + 1 + x] = alpha[y * width + x]! < HALF ? redrawn : 255 - redrawn
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  const chunks = [chunk('IHDR', head), chunk('IDAT', deflateSync(rows, PACKING)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([SIGNATURE, ...chunks])
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

function chunk(type: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
