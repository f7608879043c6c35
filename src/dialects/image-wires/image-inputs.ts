import { asBuffer } from '../../bytes/as-buffer.ts'
import { cannotTake } from '../cannot-take.ts'
import { type Problem, problem } from '../../contract/problems.ts'
import type { ImageCall, ImageInput } from '../image-codec.ts'

// Images that a caller sends along, as wires want them.

export type ImageBytes = Extract<ImageInput, { bytes: Uint8Array }>

export function dataUrlOf(image: ImageInput): string {
  return 'url' in image ? image.url : `data:${image.mediaType};base64,${base64(image)}`
}

/** For wires that take bare base64 or an address. */
export function base64OrUrl(image: ImageInput): string {
  return 'url' in image ? image.url : base64(image)
}

export function base64Of(image: ImageInput, field: string, provider: string): string {
  return base64(bytesOf(image, field, provider))
}

export function bytesOf(image: ImageInput, field: string, provider: string): ImageBytes {
  if ('url' in image) throw cannotTake([field], `${provider} takes images as they are, not by their address`)
  return image
}

/** The image to change, where a wire takes so many. */
export function imagesOf({ images }: ImageCall, provider: string, max: number): readonly ImageInput[] {
  if (images.length > max)
    throw cannotTake(['images'], `${provider} takes ${max === 1 ? 'one image' : `${max} images`} with this model`)
  return images
}

export function imageOf(call: ImageCall, provider: string): ImageInput {
  const [image] = imagesOf(call, provider, 1)
  if (!image) throw cannotTake(['images'], `${provider} needs an image with this model`)
  return image
}

export function refuseMask({ mask }: ImageCall, provider: string): void {
  if (mask) throw cannotTake(['mask'], `${provider} takes no mask with this model: say in the prompt what to change`)
}

export function noEdits(provider: string): Problem {
  return problem('unsupported_endpoint', { message: `${provider} changes no images with this model.`, param: 'model' })
}

export function noGenerations(provider: string): Problem {
  const message = `${provider} only changes images with this model: send them to /v3/images/edits.`
  return problem('unsupported_endpoint', { message, param: 'model' })
}

/** Of bytes that lie elsewhere: the house puts it in their mark's place as the body is sent. */
function base64({ bytes, source }: ImageBytes): string {
  if (source) return source.mark
  return asBuffer(bytes).toString('base64')
}
