import { asBuffer } from '../../../base/bytes/as-buffer.ts'
import { cannotTake } from '../cannot-take.ts'
import { type Problem, problem } from '../../../contract/problems.ts'
import type { ImageCall, ImageInput } from '../image-codec.ts'

// The images of a caller, in the forms that wire formats need.

export type ImageBytes = Extract<ImageInput, { bytes: Uint8Array }>

export function dataUrlOf(image: ImageInput): string {
  return 'url' in image ? image.url : `data:${image.mediaType};base64,${base64(image)}`
}

/** For wire formats that accept bare base64 or a URL. */
export function base64OrUrl(image: ImageInput): string {
  return 'url' in image ? image.url : base64(image)
}

export function base64Of(image: ImageInput, field: string, provider: string): string {
  return base64(bytesOf(image, field, provider))
}

export function bytesOf(image: ImageInput, field: string, provider: string): ImageBytes {
  if ('url' in image) throw cannotTake([field], `${provider} needs the bytes of images, not URLs`)
  return image
}

/** The images to change, if there are not too many for the wire format. */
export function imagesOf({ images }: ImageCall, provider: string, max: number): readonly ImageInput[] {
  if (images.length > max)
    throw cannotTake(['images'], `${provider} accepts ${max === 1 ? 'one image' : `${max} images`} with this model`)
  return images
}

export function imageOf(call: ImageCall, provider: string): ImageInput {
  const [image] = imagesOf(call, provider, 1)
  if (!image) throw cannotTake(['images'], `${provider} needs an image with this model`)
  return image
}

export function refuseMask({ mask }: ImageCall, provider: string): void {
  if (mask)
    throw cannotTake(['mask'], `${provider} does not accept a mask with this model: say in the prompt what to change`)
}

export function noEdits(provider: string): Problem {
  return problem('unsupported_endpoint', {
    message: `${provider} does not edit images with this model.`,
    param: 'model',
  })
}

export function noGenerations(provider: string): Problem {
  const message = `${provider} only edits images with this model: send them to /v3/images/edits.`
  return problem('unsupported_endpoint', { message, param: 'model' })
}

/** For bytes that are stored elsewhere, this returns a mark, which the gateway replaces while it sends the body. */
function base64({ bytes, source }: ImageBytes): string {
  if (source) return source.mark
  return asBuffer(bytes).toString('base64')
}
