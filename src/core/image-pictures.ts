import { isAscii } from 'node:buffer'
import { imageSize } from '../blobs/sniff/image-size.ts'
import { sniffType } from '../blobs/sniff/sniff-type.ts'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import { readDataUrl } from '../dialects/data-url.ts'
import type { ImageItem } from '../dialects/image-face.ts'

// Images on their way to the caller. Base64 travels as the bytes of its characters, in pieces: as text it would be copied
// with every step, and an image is megabytes.

export type Picture = { url?: string; base64?: Base64; revised_prompt?: string }
export type Base64 = readonly Uint8Array[]

/** Whole groups of four characters, and of three bytes. */
const HEAD_CHARS = 88 * 1024
const SLICE_CHARS = 64 * 1024
const GROUP_BYTES = 3
/** What would end the string that it is written into, or break its line. */
const FORBIDDEN = ['"', '\\', '\n', '\r']

export function toPicture({ url, b64_json, base64, revised_prompt }: ImageItem): Picture {
  const told = revised_prompt === undefined ? {} : { revised_prompt }
  const text = b64_json ?? (url === undefined ? undefined : readDataUrl(url)?.base64)
  const characters = base64 ?? (text === undefined ? undefined : Buffer.from(text.replace(/\s+/g, ''), 'latin1'))
  if (characters) return { base64: [checked(characters)], ...told }
  if (url === undefined)
    throw new UpstreamProblem('garbage', 'the provider answered with something that holds no image')
  return { url, ...told }
}

/** What an image says about itself at its beginning. */
export function measure([first]: Base64): Look {
  return describe(Buffer.from(latin1(first?.subarray(0, HEAD_CHARS) ?? Buffer.alloc(0)), 'base64'))
}

export type Look = { size: string | undefined; format: string | undefined }

/** The same of its bytes. */
export function describe(head: Uint8Array): Look {
  const type = sniffType(head)
  const size = imageSize(head)
  return {
    size: size ? `${size.width}x${size.height}` : undefined,
    format: type.startsWith('image/') ? type.slice('image/'.length).replace('svg+xml', 'svg') : undefined,
  }
}

/** Slice by slice into one piece of memory: as a text, all of it would stand there once more. */
export function toBytes(base64: Base64): Uint8Array {
  const room = Buffer.allocUnsafeSlow(base64.reduce((sum, { length }) => sum + Math.ceil(length / 4) * GROUP_BYTES, 0))
  let size = 0
  for (const piece of base64)
    for (let from = 0; from < piece.length; from += SLICE_CHARS)
      size += room.write(latin1(piece.subarray(from, from + SLICE_CHARS)), size, 'base64')
  return room.subarray(0, size)
}

/** As it arrives, so that the bytes and their base64 never stand beside each other in full. */
export async function toBase64(body: AsyncIterable<Uint8Array>): Promise<Base64> {
  const pieces: Uint8Array[] = []
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of body) {
    const bytes =
      rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const whole = bytes.length - (bytes.length % GROUP_BYTES)
    if (whole > 0) pieces.push(encoded(bytes.subarray(0, whole)))
    rest = bytes.subarray(whole)
  }
  if (rest.length > 0) pieces.push(encoded(rest))
  return pieces
}

function checked(characters: Uint8Array): Uint8Array {
  const bytes = Buffer.from(characters.buffer, characters.byteOffset, characters.length)
  if (bytes.length > 0 && isAscii(bytes) && !FORBIDDEN.some((character) => bytes.includes(character))) return bytes
  throw new UpstreamProblem('garbage', 'the provider answered with something that is not an image in base64')
}

function encoded(bytes: Buffer): Uint8Array {
  return Buffer.from(bytes.toString('base64'), 'latin1')
}

function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}
