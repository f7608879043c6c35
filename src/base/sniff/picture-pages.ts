import { asBuffer } from '../bytes/as-buffer.ts'

// The pictures in a TIFF or GIF file. Providers that read documents bill each of them as a page.

/** No provider reads more of one document. */
const MOST_PAGES = 2_000

/** How many pictures a file has: 1 if it is of another kind, or so damaged that none can be found. */
export function picturePages(file: Uint8Array): number {
  const bytes = asBuffer(file)
  const pages = (bytes[0] === 0x47 ? gifFrames(bytes) : tiffDirectories(bytes)).take(MOST_PAGES)
  let count = 0
  try {
    for (const _ of pages) count++
  } catch (error) {
    // A read went past the end of the file: what comes before it counts.
    if (!(error instanceof RangeError)) throw error
  }
  return Math.max(1, count)
}

const [TIFF, BIG_TIFF] = [42, 43]

/** One directory for each picture, and each says where the next one is. */
function* tiffDirectories(bytes: Buffer) {
  const isLittle = bytes[0] === 0x49
  const short = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  const long = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  const long8 = (at: number) => Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
  const version = short(2)
  if (version !== TIFF && version !== BIG_TIFF) return
  const isBig = version === BIG_TIFF
  const seen = new Set<number>()
  for (let at = isBig ? long8(8) : long(4); at !== 0 && !seen.has(at); ) {
    seen.add(at)
    const end = isBig ? at + 8 + 20 * long8(at) : at + 2 + 12 * short(at)
    yield at
    at = isBig ? long8(end) : long(end)
  }
}

const [EXTENSION, FRAME] = [0x21, 0x2c]

/** Frames and extensions follow each other, each with blocks of up to 255 bytes. */
function* gifFrames(bytes: Buffer) {
  let at = 13 + paletteBytes(bytes.readUInt8(10))
  for (;;) {
    const kind = bytes.readUInt8(at)
    if (kind === FRAME) {
      yield at
      at += 11 + paletteBytes(bytes.readUInt8(at + 9))
    } else if (kind === EXTENSION) at += 2
    else return
    for (let length = bytes.readUInt8(at); length > 0; length = bytes.readUInt8(at)) at += 1 + length
    at++
  }
}

function paletteBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}
