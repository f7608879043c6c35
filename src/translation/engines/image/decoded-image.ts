import type { Metadata, Sharp } from 'sharp'
import { type ImageSize, imageSize } from '../../../base/sniff/image-size.ts'
import { sniffType } from '../../../base/sniff/sniff-type.ts'
import { exifOrientation, UPRIGHT } from './exif-orientation.ts'
import { acceptedSize, MAX_PIXELS, refuseLarge } from './image-limits.ts'
import { loadSharp } from './load-sharp.ts'
import { Unreadable } from '../pool/unreadable.ts'

/** Formats whose size only their own decoder knows. */
const SIZE_UNTOLD = ['image/avif']
const MAX_PAGES = 10
const CONVERT_SECONDS = 15

export type DecodedImage = { bytes: Uint8Array; size: ImageSize }

type ImageNeeds = {
  /** Formats that the engine decodes itself. */
  own: readonly string[]
  /** Larger images are scaled down. */
  maxPixels: number
}

/**
 * Prepares an image for an engine: upright, in a format that it decodes, and not larger than it needs. Most images already are;
 * the others need sharp. Without sharp, an image that the engine can decode is used unchanged.
 */
export async function* openImage(bytes: Uint8Array, { own, maxPixels }: ImageNeeds): AsyncGenerator<DecodedImage> {
  const type = sniffType(bytes)
  const size = SIZE_UNTOLD.includes(type) ? undefined : acceptedSize(bytes)
  const isOwn = own.includes(type) && size !== undefined
  if (isOwn && size.width * size.height <= maxPixels && exifOrientation(bytes) === UPRIGHT) return yield { bytes, size }
  const sharp = await loadSharp(isOwn)
  if (!sharp) return yield { bytes, size: size! }
  const open = (page: number) => sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', page })
  const { pages = 1, ...whole } = await readable(open(0).metadata())
  refuseLarge(whole)
  if (pages > MAX_PAGES) throw new Unreadable(`This image has more than ${MAX_PAGES} pages`)
  for (let page = 0; page < (type === 'image/tiff' ? pages : 1); page++) yield await converted(open(page), maxPixels)
}

async function converted(image: Sharp, maxPixels: number): Promise<DecodedImage> {
  const { width, height } = (await readable(image.metadata())).autoOrient
  const scale = Math.min(1, Math.sqrt(maxPixels / (width * height)))
  const upright = image.autoOrient().flatten({ background: '#fff' }).timeout({ seconds: CONVERT_SECONDS })
  const fitting = scale < 1 ? upright.resize({ width: Math.floor(width * scale) }) : upright
  const bytes = await readable(fitting.png({ compressionLevel: 1 }).toBuffer())
  return { bytes: new Uint8Array(bytes), size: imageSize(bytes)! }
}

/** A decoder's error means that the image is invalid; its message is about internals and is not passed on. */
async function readable<T extends Metadata | Buffer>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (/pixel limit/i.test((error as Error).message)) throw new Unreadable('This image has too many pixels')
    throw new Unreadable('This image is damaged or of an unknown format')
  }
}
