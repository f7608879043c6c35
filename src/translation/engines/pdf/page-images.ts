import type { PdfPage } from './open-pdf.ts'

// The images of a page and their positions, from the list of paint operations. Nothing else is painted: letters drawn as shapes
// stay invisible.

/** The PDF notation: x' = ax + cy + e, y' = bx + dy + f. */
export type Matrix = readonly [number, number, number, number, number, number]
/** Grey from 0 (black) to 255, from the top row down; `cover` is the opacity of each pixel, if not all are opaque. */
export type PageImage = { width: number; height: number; grey: Uint8Array; cover?: Uint8Array; matrix: Matrix }

type Decoded = { width: number; height: number; data?: Uint8Array | Uint8ClampedArray | null; kind?: number }

const MAX_IMAGES = 2_000
const [ONE_BIT, RGB, RGBA] = [1, 2, 3]
const BLACK = 0

/** `OPS` are the numbers of the paint operations, which differ between editions of pdf.js. */
export async function imagesOf(
  page: PdfPage,
  OPS: Record<string, number>,
): Promise<{ images: PageImage[]; undecoded: number }> {
  const { fnArray, argsArray } = await page.getOperatorList()
  const images: PageImage[] = []
  const saved: Matrix[] = []
  let undecoded = 0
  let matrix: Matrix = [1, 0, 0, 1, 0, 0]
  for (const [index, operation] of fnArray.entries()) {
    const values = argsArray[index] as unknown[]
    if (operation === OPS.save || operation === OPS.paintFormXObjectBegin) saved.push(matrix)
    if (operation === OPS.restore || operation === OPS.paintFormXObjectEnd) matrix = saved.pop() ?? matrix
    if (operation === OPS.transform) matrix = product(matrix, values as unknown as Matrix)
    if (operation === OPS.paintFormXObjectBegin && values?.[0]) matrix = product(matrix, values[0] as Matrix)
    const isMask = operation === OPS.paintImageMaskXObject
    if (!isMask && operation !== OPS.paintImageXObject && operation !== OPS.paintInlineImageXObject) continue
    const decoded = await decodedOf(page, values[0])
    if (!decoded?.data) undecoded++
    else if (images.length < MAX_IMAGES) images.push({ ...(isMask ? stencil : shades)(decoded), matrix })
  }
  return { images, undecoded }
}

/** Applies the second matrix, then the first. */
export function product([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

/** An image is in the list itself or is referenced by name. */
async function decodedOf(page: PdfPage, value: unknown): Promise<Decoded | null> {
  if (typeof value === 'string') return await objectOf(page, value)
  const image = value as Decoded & { data?: unknown }
  if (typeof image.data !== 'string') return image
  return { ...image, ...(await objectOf(page, image.data)) }
}

function objectOf(page: PdfPage, name: string): Promise<Decoded | null> {
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs
  return new Promise((resolve) => void objects.get(name, resolve))
}

type Shades = Pick<PageImage, 'width' | 'height' | 'grey'> & { cover?: Uint8Array }

/** Black where a bit is not set, transparent elsewhere. */
function stencil({ width, height, data }: Decoded): Shades {
  const cover = bits(width, height, data!).map((bit) => 255 - bit)
  return { width, height, grey: new Uint8Array(width * height).fill(BLACK), cover }
}

function shades({ width, height, data, kind }: Decoded): Shades {
  if (kind === ONE_BIT) return { width, height, grey: bits(width, height, data!) }
  const step = kind === RGBA ? 4 : kind === RGB ? 3 : 1
  const grey = new Uint8Array(width * height)
  for (let at = 0, from = 0; at < grey.length; at++, from += step) {
    grey[at] = step === 1 ? data![from]! : (data![from]! * 77 + data![from + 1]! * 151 + data![from + 2]! * 28) >> 8
  }
  if (kind !== RGBA) return { width, height, grey }
  return { width, height, grey, cover: grey.map((_, at) => data![at * 4 + 3]!) }
}

/** 0 or 255 per bit; each row starts with a new byte. */
function bits(width: number, height: number, data: Uint8Array | Uint8ClampedArray): Uint8Array {
  const rowBytes = (width + 7) >> 3
  const grey = new Uint8Array(width * height)
  for (let at = 0; at < grey.length; at++) {
    const [row, column] = [Math.floor(at / width), at % width]
    if ((data[row * rowBytes + (column >> 3)]! >> (7 - (column & 7))) & 1) grey[at] = 255
  }
  return grey
}
