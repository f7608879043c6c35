import { crc32, deflateSync } from 'node:zlib'
import type { Engines } from '../../engine-api/engines.ts'
import { type Alpha, readAlpha } from './read-alpha.ts'

// Callers mark the area to redraw by transparency. All providers except OpenAI want it painted white or black.

/** Pixels with less than half opacity are redrawn. */
const HALF = 128
/** Masks are large uniform areas, so the fastest compression is good enough. */
const PACKING = { level: 1 }

export function paintMask({ bytes, redrawn }: Engines['mask']['input']): Engines['mask']['output'] {
  const found = readAlpha(bytes)
  if (!found) return { kind: found === null ? 'unreadable' : 'plain', redrawn }
  return { kind: 'painted', redrawn, bytes: grayPng(found, redrawn === 'white' ? 255 : 0) }
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
