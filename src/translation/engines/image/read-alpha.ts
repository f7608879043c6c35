import { asBuffer } from '../../../base/bytes/as-buffer.ts'
import { inflateSync } from 'node:zlib'

// A minimal PNG reader for the alpha channel: https://www.w3.org/TR/png-3/

export type Alpha = { width: number; height: number /** One byte per pixel; 0 is transparent. */; alpha: Uint8Array }

/** The largest mask: four bytes of memory per pixel, and a tenth of a second in total. */
const MAX_PIXELS = 2048 * 2048
const SIGNATURE = '89504e470d0a1a0a'
/** Grey with alpha, and colour with alpha; in a palette each colour has its own alpha. */
const CHANNELS: Readonly<Record<number, number>> = { 4: 2, 6: 4, 3: 1 }

type Png = { width: number; height: number; depth: number; kind: number; interlaced: boolean; palette: Uint8Array }
type Chunks = Png & { packed: Uint8Array[] }

/** Undefined if it is not a PNG or has no transparency; null if this reader does not support it. */
export function readAlpha(bytes: Uint8Array): Alpha | null | undefined {
  const png = chunksOf(asBuffer(bytes))
  if (!png || !(png.kind in CHANNELS) || (png.kind === 3 && png.palette.length === 0)) return undefined
  const isPlain = !png.interlaced && (png.depth === 8 || (png.depth === 16 && png.kind !== 3))
  if (!isPlain || png.width * png.height > MAX_PIXELS) return null
  return alphaIn(png)
}

function chunksOf(file: Buffer): Chunks | undefined {
  if (file.length < 33 || file.subarray(0, 8).toString('hex') !== SIGNATURE) return undefined
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)]
  const head = { width, height, depth: file[24]!, kind: file[25]!, interlaced: file[28] !== 0 }
  const found: Chunks = { ...head, palette: new Uint8Array(0), packed: [] }
  for (let at = 33; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) {
    const content = file.subarray(at + 8, at + 8 + file.readUInt32BE(at))
    const type = file.toString('latin1', at + 4, at + 8)
    if (type === 'IDAT') found.packed.push(content)
    if (type === 'tRNS') found.palette = content
  }
  return width > 0 && height > 0 ? found : undefined
}

function alphaIn({ width, height, depth, kind, palette, packed }: Chunks): Alpha | null {
  const pixelBytes = (CHANNELS[kind]! * depth) / 8
  const rows = unpacked(packed, (width * pixelBytes + 1) * height)
  if (!rows) return null
  undoFilters(rows, width * pixelBytes, pixelBytes)
  const alpha = new Uint8Array(width * height)
  const within = kind === 3 ? 0 : pixelBytes - depth / 8
  for (let y = 0, to = 0; y < height; y++) {
    let from = y * (width * pixelBytes + 1) + 1 + within
    for (let x = 0; x < width; x++, from += pixelBytes)
      alpha[to++] = kind === 3 ? (palette[rows[from]!] ?? 255) : rows[from]!
  }
  return { width, height, alpha }
}

function unpacked(packed: Uint8Array[], length: number): Uint8Array | undefined {
  try {
    const rows = inflateSync(Buffer.concat(packed), { maxOutputLength: length })
    return rows.length === length ? rows : undefined
  } catch {
    return undefined
  }
}

/** The first byte of every row names the filter, that is, the neighbours that its bytes are relative to. */
function undoFilters(rows: Uint8Array, rowBytes: number, pixelBytes: number): void {
  for (let start = 1; start < rows.length; start += rowBytes + 1) {
    const filter = rows[start - 1]!
    if (filter !== 0) undoRow(rows, start, filter, { rowBytes, pixelBytes })
  }
}

type RowLayout = { rowBytes: number; pixelBytes: number }

/** One loop per filter: choosing the filter for every byte would take several times as long. */
function undoRow(rows: Uint8Array, start: number, filter: number, { rowBytes, pixelBytes }: RowLayout): void {
  const [end, second, above] = [start + rowBytes, start + pixelBytes, rowBytes + 1]
  const isFirst = start === 1
  const up = (at: number) => (isFirst ? 0 : rows[at - above]!)
  if (filter === 1) for (let at = second; at < end; at++) rows[at]! += rows[at - pixelBytes]!
  if (filter === 2 && !isFirst) for (let at = start; at < end; at++) rows[at]! += rows[at - above]!
  // The first pixel has no left neighbour.
  if (filter === 3 || filter === 4)
    for (let at = start; at < second; at++) rows[at]! += filter === 3 ? up(at) >> 1 : up(at)
  if (filter === 3) for (let at = second; at < end; at++) rows[at]! += (rows[at - pixelBytes]! + up(at)) >> 1
  if (filter === 4)
    for (let at = second; at < end; at++)
      rows[at]! += paeth(rows[at - pixelBytes]!, up(at), isFirst ? 0 : rows[at - above - pixelBytes]!)
}

function paeth(left: number, up: number, corner: number): number {
  const toLeft = Math.abs(up - corner)
  const toUp = Math.abs(left - corner)
  const toCorner = Math.abs(left + up - 2 * corner)
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}
