import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'

const COLOURS = 16
const TILES = 8
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const PALETTE_KIND = 3
const BITS_PER_PIXEL = 4

const compress = promisify(deflate)

/** A real PNG of tiles in sixteen colours, which depend on the prompt. It has half a byte per pixel and compresses well. */
export async function drawPng({ width, height }: { width: number; height: number }, words: string): Promise<Buffer> {
  const seed = createHash('sha512').update(words).digest()
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([BITS_PER_PIXEL, PALETTE_KIND], 8)
  const rows = await compress(drawRows(width, height, seed), { level: 1 })
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', seed.subarray(0, COLOURS * 3)),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function drawRows(width: number, height: number, seed: Buffer): Buffer {
  const rowBytes = 1 + Math.ceil(width / 2)
  const pixels = Buffer.alloc(rowBytes * height)
  const rows = Array.from({ length: TILES }, (_, tile) => drawRow(width, tile, seed))
  for (let y = 0; y < height; y++) pixels.set(rows[Math.floor((y * TILES) / height)]!, y * rowBytes)
  return pixels
}

/** The first byte says that the row uses no filter. */
function drawRow(width: number, tileRow: number, seed: Buffer): Uint8Array {
  const row = new Uint8Array(1 + Math.ceil(width / 2))
  for (let x = 0; x < width; x++) {
    const tile = tileRow * TILES + Math.floor((x * TILES) / width)
    const colour = seed[tile % seed.length]! % COLOURS
    row[1 + (x >> 1)]! |= x % 2 === 0 ? colour << BITS_PER_PIXEL : colour
  }
  return row
}

function chunk(name: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
