import { asBuffer } from '../bytes/as-buffer.ts'
import { sniffType } from './sniff-type.ts'

// Reads width and height from the header. No pixel is ever decoded, so an image that claims to be huge costs nothing.
//
// The package image-size does not replace this: it fails on a JPEG with a fill byte between its segments, misreads bitmaps of
// OS/2 (70780800 x 1 for 1920 x 1080), and returns sizes of 0 and of truncated headers. It supports more formats, but none of
// them is needed here.

export type ImageSize = { width: number; height: number }

const READERS: Record<string, (head: Buffer) => ImageSize | undefined> = {
  'image/png': (head) => ({ width: head.readUInt32BE(16), height: head.readUInt32BE(20) }),
  'image/gif': (head) => ({ width: head.readUInt16LE(6), height: head.readUInt16LE(8) }),
  'image/bmp': bitmapSize,
  'image/webp': webpSize,
  'image/jpeg': jpegSize,
  'image/tiff': tiffSize,
}

/** Returns null if the type is unknown, or if its header is truncated, invalid, or not within the head. */
export function imageSize(head: Uint8Array): ImageSize | null {
  const bytes = asBuffer(head)
  try {
    const size = READERS[sniffType(bytes)]?.(bytes)
    return size && size.width > 0 && size.height > 0 ? size : null
  } catch (error) {
    // A read went past the end of the head.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The height is negative if the rows start at the top. The oldest header has 16-bit numbers. */
function bitmapSize(head: Buffer): ImageSize {
  if (head.readUInt32LE(14) === 12) return { width: head.readUInt16LE(18), height: head.readUInt16LE(20) }
  return { width: head.readInt32LE(18), height: Math.abs(head.readInt32LE(22)) }
}

/** There are three kinds of first chunk: lossy, lossless, and extended with a canvas. */
function webpSize(head: Buffer): ImageSize | undefined {
  const kind = head.toString('latin1', 12, 16)
  if (kind === 'VP8X') return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 }
  if (kind === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
  if (kind !== 'VP8L') return undefined
  const bits = head.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
}

/** Goes from marker to marker until the one that starts a frame. */
function jpegSize(head: Buffer): ImageSize | undefined {
  let at = 2
  while (head.readUInt8(at) === 0xff) {
    const marker = head.readUInt8(at + 1)
    if (marker === 0xff) at += 1
    else if (isFrameStart(marker)) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) }
    else if (marker === 0xd9 || marker === 0xda) return undefined
    else at += marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7) ? 2 : 2 + Math.max(2, head.readUInt16BE(at + 2))
  }
  return undefined
}

/** SOF0 to SOF15, except for the tables in the same range: DHT, JPG and DAC. */
function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

const TIFF_WIDTH = 256
const TIFF_HEIGHT = 257
const TIFF_SHORT = 3
const TIFF_LONG = 4

/** Reads the first directory of tags; the header says where it is. */
function tiffSize(head: Buffer): ImageSize | undefined {
  const little = head[0] === 0x49
  const short = (at: number) => (little ? head.readUInt16LE(at) : head.readUInt16BE(at))
  const long = (at: number) => (little ? head.readUInt32LE(at) : head.readUInt32BE(at))
  if (short(2) !== 42) return undefined
  const directory = long(4)
  const found = { width: 0, height: 0 }
  for (let entry = 0; entry < short(directory); entry++) {
    const at = directory + 2 + entry * 12
    const [tag, type] = [short(at), short(at + 2)]
    const value = type === TIFF_SHORT ? short(at + 8) : type === TIFF_LONG ? long(at + 8) : 0
    if (tag === TIFF_WIDTH) found.width = value
    if (tag === TIFF_HEIGHT) found.height = value
    if (tag >= TIFF_HEIGHT) break
  }
  return found
}
