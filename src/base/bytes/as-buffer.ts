import { Buffer } from 'node:buffer'

/** A Buffer on the same memory: nothing is copied. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
