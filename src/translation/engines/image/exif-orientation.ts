import { asBuffer } from '../../../base/bytes/as-buffer.ts'

export const UPRIGHT = 1

const [APP1, START_OF_SCAN] = [0xe1, 0xda]
const ORIENTATION = 0x0112
const MAX_TAGS = 200

/** The orientation of a JPEG file, 1 to 8, from its metadata; 1 (upright) if there is none. */
export function exifOrientation(bytes: Uint8Array): number {
  const head = asBuffer(bytes)
  try {
    const notes = notesOf(head)
    const turn = notes && orientationIn(notes)
    return turn !== undefined && turn >= 1 && turn <= 8 ? turn : UPRIGHT
  } catch (error) {
    // The offsets point past the end.
    if (error instanceof RangeError) return UPRIGHT
    throw error
  }
}

/** EXIF is a TIFF file inside of a segment before the image data. */
function notesOf(head: Buffer): Buffer | undefined {
  if (head.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; head.readUInt8(at) === 0xff; at += 2 + Math.max(2, head.readUInt16BE(at + 2))) {
    const marker = head.readUInt8(at + 1)
    if (marker === START_OF_SCAN) return undefined
    const isNotes = marker === APP1 && head.toString('latin1', at + 4, at + 10) === 'Exif\0\0'
    if (isNotes) return head.subarray(at + 10, at + 2 + head.readUInt16BE(at + 2))
  }
  return undefined
}

function orientationIn(notes: Buffer): number | undefined {
  const isLittle = notes.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (isLittle ? notes.readUInt16LE(at) : notes.readUInt16BE(at))
  const directory = isLittle ? notes.readUInt32LE(4) : notes.readUInt32BE(4)
  const count = Math.min(MAX_TAGS, short(directory))
  for (let at = directory + 2; at < directory + 2 + count * 12; at += 12) {
    if (short(at) === ORIENTATION) return short(at + 8)
  }
  return undefined
}
