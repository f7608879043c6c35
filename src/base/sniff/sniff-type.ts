import { asBuffer } from '../bytes/as-buffer.ts'
import { audioFrameType } from './audio-frames.ts'
import { compoundType } from './compound-type.ts'
import { ebmlType, isoMediaType, oggType, riffType } from './container-types.ts'
import { markupType } from './markup-type.ts'
import { textType } from './text-type.ts'
import { zipType } from './zip-type.ts'

// Detects the type of a file by its bytes, never by the name or the type that its sender states. A file that is valid as two
// types is what it starts as.
//
// The package file-type does not replace this (docs/dependencies.md has the list): it does not detect text, HTML, SVG,
// CSV or JSON and does not distinguish Word from Excel before 2007. It takes a text that starts with "BM" for an image and one
// that starts with "ID3" for audio. It has no synchronous form, and it decompresses members of zip archives, where names are
// enough for us.

export const UNKNOWN_TYPE = 'application/octet-stream'

/** A PDF may have a few other bytes in front. */
const PDF_WITHIN_BYTES = 1024

type Magic = { starts: string; is: string | ((head: Buffer) => string | undefined) }

/** `starts` is Latin-1, so one character is one byte. */
const MAGIC: Magic[] = [
  { starts: '\x89PNG\r\n\x1a\n', is: 'image/png' },
  { starts: '\xff\xd8\xff', is: 'image/jpeg' },
  { starts: 'GIF87a', is: 'image/gif' },
  { starts: 'GIF89a', is: 'image/gif' },
  { starts: 'II*\0', is: 'image/tiff' },
  { starts: 'MM\0*', is: 'image/tiff' },
  { starts: 'II+\0', is: 'image/tiff' },
  { starts: 'MM\0+', is: 'image/tiff' },
  { starts: 'BM', is: bitmapType },
  { starts: '\0\0\x01\0', is: iconType },
  { starts: '%PDF-', is: 'application/pdf' },
  { starts: 'PK\x03\x04', is: zipType },
  { starts: 'PK\x05\x06', is: 'application/zip' },
  { starts: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', is: compoundType },
  { starts: '\x1f\x8b\x08', is: 'application/gzip' },
  { starts: '{\\rtf', is: 'application/rtf' },
  { starts: 'RIFF', is: riffType },
  { starts: 'fLaC', is: 'audio/flac' },
  { starts: 'OggS', is: oggType },
  { starts: 'ID3', is: taggedAudioType },
  { starts: '#!AMR-WB\n', is: 'audio/amr-wb' },
  { starts: '#!AMR\n', is: 'audio/amr' },
  { starts: 'ADIF', is: 'audio/aac' },
  { starts: '\x1aE\xdf\xa3', is: ebmlType },
]

/** `head` is the beginning of the file: its first `HEAD_BYTES`, or all of it. */
export function sniffType(head: Uint8Array): string {
  const bytes = asBuffer(head)
  return (
    magicType(bytes) ??
    isoMediaType(bytes) ??
    audioFrameType(bytes) ??
    markupType(bytes) ??
    textType(bytes) ??
    latePdfType(bytes) ??
    UNKNOWN_TYPE
  )
}

function magicType(head: Buffer): string | undefined {
  const start = head.toString('latin1', 0, 16)
  for (const { starts, is } of MAGIC) {
    if (!start.startsWith(starts)) continue
    const type = typeof is === 'string' ? is : is(head)
    if (type) return type
  }
  return undefined
}

function latePdfType(head: Buffer): string | undefined {
  return head.subarray(0, PDF_WITHIN_BYTES).includes('%PDF-') ? 'application/pdf' : undefined
}

/** Two letters are not enough; the header that follows has to have one of a few sizes. */
function bitmapType(head: Buffer): string | undefined {
  const isBitmap = head.length >= 26 && [12, 40, 52, 56, 64, 108, 124].includes(head.readUInt32LE(14))
  return isBitmap ? 'image/bmp' : undefined
}

/** There has to be at least one image whose reserved byte is zero and whose data comes after the list. */
function iconType(head: Buffer): string | undefined {
  if (head.length < 22 || head[9] !== 0) return undefined
  const images = head.readUInt16LE(4)
  return images > 0 && head.readUInt32LE(18) >= 6 + 16 * images ? 'image/x-icon' : undefined
}

/** The tag is followed by the audio, which may also be AAC. Text that starts with these letters has no version number. */
function taggedAudioType(head: Buffer): string | undefined {
  if (head.length < 10 || head[3] === 0xff || head[3]! > 4 || head.subarray(6, 10).some((byte) => byte > 127))
    return undefined
  const tagBytes = 10 + head.subarray(6, 10).reduce((size, byte) => size * 128 + byte, 0)
  return audioFrameType(head.subarray(tagBytes)) ?? 'audio/mpeg'
}
