export type ImageSize = { width: number; height: number }

/** The size of an image that is not available or has no readable header. */
export const DEFAULT_SIZE: ImageSize = { width: 1_024, height: 1_024 }

/** The size of a PNG, GIF, WebP or JPEG image, from its header. */
export function sizeOfImage(base64: string): ImageSize {
  const bytes = Buffer.from(base64, 'base64')
  const size = readSize(bytes)
  return size && size.width > 0 && size.height > 0 ? size : DEFAULT_SIZE
}

function readSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30) return undefined
  const mark = bytes.toString('latin1', 0, 16)
  if (mark.startsWith('\x89PNG')) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (mark.startsWith('GIF8')) return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  if (mark.startsWith('RIFF')) return sizeOfWebp(bytes, mark.slice(12))
  return mark.startsWith('\xff\xd8') ? sizeOfJpeg(bytes) : undefined
}

/** Lossy, lossless and extended WebP files store the size in different ways. */
function sizeOfWebp(bytes: Buffer, kind: string): ImageSize | undefined {
  if (kind === 'VP8X') return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) }
  if (kind === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  if (kind !== 'VP8L') return undefined
  const packed = bytes.readUInt32LE(21)
  return { width: 1 + (packed & 0x3fff), height: 1 + ((packed >>> 14) & 0x3fff) }
}

/** Walks through the segments up to the one that starts a frame. */
function sizeOfJpeg(bytes: Buffer): ImageSize | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1]!
    const beginsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (beginsFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
  }
  return undefined
}
