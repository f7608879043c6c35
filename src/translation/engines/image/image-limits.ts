import { type ImageSize, imageSize } from '../../../base/sniff/image-size.ts'
import { ENGINE_BYTES } from '../pool/engine-memory.ts'
import { Unreadable } from '../pool/unreadable.ts'

/** A photo of a large camera. Decoders of layered files hold eight bytes for each pixel. */
export const MAX_PIXELS = pixelsFor(8, 50_000_000)

/** The size of an image, from its header: an image that would fill the memory is not decoded. */
export function acceptedSize(bytes: Uint8Array): ImageSize {
  const size = imageSize(bytes)
  if (!size) throw new Unreadable('This is not an image with a readable size')
  refuseLarge(size)
  return size
}

/** How many pixels fit into the memory of an engine, at most `most`. */
export function pixelsFor(bytesPerPixel: number, most: number): number {
  return Math.min(most, Math.floor(ENGINE_BYTES / bytesPerPixel))
}

export function refuseLarge({ width, height }: ImageSize): void {
  if (width * height > MAX_PIXELS)
    throw new Unreadable(`This image has more than ${Math.floor(MAX_PIXELS / 1_000_000)} million pixels`)
}
