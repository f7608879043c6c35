import { asBuffer } from '../../../base/bytes/as-buffer.ts'

export type Size = { width: number; height: number }

const JPEG_FRAMES = [0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]

/** The size of an image from its first bytes: some providers report positions in pixels without the size. */
export function pixelSize(bytes: Uint8Array): Size | null {
  const view = asBuffer(bytes)
  const start = view.subarray(0, 16).toString('latin1')
  const size = readSize(view, start)
  return size && size.width > 0 && size.height > 0 ? size : null
}

function readSize(view: Buffer, start: string): Size | null {
  try {
    if (start.startsWith('\x89PNG')) return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) }
    if (start.startsWith('GIF8')) return { width: view.readUInt16LE(6), height: view.readUInt16LE(8) }
    if (start.startsWith('BM')) return { width: view.readInt32LE(18), height: Math.abs(view.readInt32LE(22)) }
    if (start.startsWith('\xff\xd8')) return jpegSize(view)
    return start.startsWith('RIFF') && start.includes('WEBPVP8X') ? webpSize(view) : null
  } catch {
    // The bytes end before the size.
    return null
  }
}

/** A JPEG has segments with their lengths; one of them describes the frame. */
function jpegSize(view: Buffer): Size | null {
  for (let at = 2; at < view.length - 9; at += 2 + view.readUInt16BE(at + 2)) {
    if (view[at] !== 0xff) return null
    if (JPEG_FRAMES.includes(view[at + 1]!))
      return { height: view.readUInt16BE(at + 5), width: view.readUInt16BE(at + 7) }
  }
  return null
}

function webpSize(view: Buffer): Size {
  return { width: view.readUIntLE(24, 3) + 1, height: view.readUIntLE(27, 3) + 1 }
}
