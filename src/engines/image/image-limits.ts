import { type ImageSize, imageSize } from '../../blobs/sniff/image-size.ts'
import { Unreadable } from '../text/unreadable.ts'

/** A photo of a large camera; each pixel takes four bytes once decoded. */
export const MAX_PIXELS = 50_000_000

/** The size of an image, from its header: an image that would fill the memory is not decoded. */
export function acceptedSize(bytes: Uint8Array): ImageSize {
  const size = imageSize(bytes)
  if (!size) throw new Unreadable('This is not an image with a readable size')
  refuseLarge(size)
  return size
}

export function refuseLarge({ width, height }: ImageSize): void {
  if (width * height > MAX_PIXELS)
    throw new Unreadable(`This image has more than ${MAX_PIXELS / 1_000_000} million pixels`)
}
