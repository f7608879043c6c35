import Type from '../../../../base/schema/type.ts'
import type { TaskFile } from '../../feature.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import type { Payload } from '../../http/payload.ts'

const ACCEPTED = {
  types: ['image/jpeg', 'image/png', 'image/gif', 'image/bmp', 'image/webp', 'image/tiff', 'image/x-icon'],
  megabytes: 20,
}

/** The size of the analyzed image: positions are in its pixels. */
export const PixelSize = Type.Object({
  width: Type.Number({ minimum: 1 }),
  height: Type.Number({ minimum: 1 }),
})

/** An image as the request body. */
export async function imagePayload(file: TaskFile): Promise<Payload> {
  return { type: 'application/octet-stream', body: await acceptFile(file, ACCEPTED).bytes() }
}
