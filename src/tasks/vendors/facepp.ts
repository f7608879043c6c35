import Type from '../../schema/type.ts'
import { acceptFile } from '../inputs/accept-file.ts'
import { Rectangle } from '../results/box-of.ts'
import { pixelSize, type Size } from '../inputs/pixel-size.ts'
import type { TaskFile } from '../feature.ts'

// https://console.faceplusplus.com/documents/5679127. The secret is made of two, which it takes among the fields of the
// form only. Places are pixels.

export const FACEPP_PROOF = { fields: { api_key: '{secret.1}', api_secret: '{secret.2}' } }

const ACCEPTED = { types: ['image/jpeg', 'image/png'], megabytes: 2 }

export const FacePlace = Type.Object({
  face_rectangle: Rectangle,
})

/** Names that the gateway fills in itself, and that a caller's parameters do not replace. */
export const FACEPP_OWN = { api_key: undefined, api_secret: undefined }

/** A picture as a part of the form. */
export function faceppImage(file: TaskFile, field = 'image_file') {
  return { field, file: acceptFile(file, ACCEPTED) }
}

export async function sizeOf(file: TaskFile): Promise<Size | null> {
  return pixelSize(await file.bytes())
}
