import { asBuffer } from '../../base/bytes/as-buffer.ts'
import { spent } from '../../platform/blobs/spent-buffers.ts'

/** Base64 writes three bytes as a group of four characters. */
export const GROUP_CHARS = 4
const GROUP_BYTES = 3

export function base64Length(bytes: number): number {
  return Math.ceil(bytes / GROUP_BYTES) * GROUP_CHARS
}

/** Encodes a stream as it arrives; at most one chunk is in memory. */
export async function* base64Of(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of body) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : asBuffer(chunk)
    const whole = bytes.length - (bytes.length % GROUP_BYTES)
    if (whole > 0) yield encoded(bytes.subarray(0, whole))
    spent(base64Length(whole))
    rest = bytes.subarray(whole)
  }
  if (rest.length > 0) yield encoded(rest)
}

function encoded(bytes: Buffer): Uint8Array {
  return Buffer.from(bytes.toString('base64'), 'latin1')
}
