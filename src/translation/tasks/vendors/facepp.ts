import Type from '../../../base/schema/type.ts'
import { acceptFile } from '../inputs/accept-file.ts'
import { Rectangle } from '../results/box-of.ts'
import { pixelSize, type Size } from '../inputs/pixel-size.ts'
import type { TaskFile } from '../feature.ts'

// https://console.faceplusplus.com/documents/5679127. The secret has two parts, which are accepted only as form fields.
// Positions are pixels.

export const FACEPP_PROOF = { fields: { api_key: '{secret.1}', api_secret: '{secret.2}' } }

const ACCEPTED = { types: ['image/jpeg', 'image/png'], megabytes: 2 }

export const FaceRectangle = Type.Object({
  face_rectangle: Rectangle,
})

/** Fields that the gateway sets and a caller's parameters do not replace. */
export const FACEPP_OWN = { api_key: undefined, api_secret: undefined }

/** An image as a form field. */
export function faceppImage(file: TaskFile, field = 'image_file') {
  return { field, file: acceptFile(file, ACCEPTED) }
}

export async function sizeOf(file: TaskFile): Promise<Size | null> {
  return pixelSize(await file.bytes())
}
