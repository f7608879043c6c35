import type { ImageCall } from '../../translation/dialects/image-codec.ts'
import type { Call } from '../../calls/call.ts'
import { keepsNothing } from '../../tenants/access/policy.ts'
import { keepResult } from '../../calls/files/files.ts'
import type { TempBytes } from '../../calls/files/temp-file-writer.ts'
import { bytesOf, measure, type OutputImage, toBase64 } from './output-images.ts'
import type { TempFiles } from '../../calls/files/temp-files.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { linkTo } from '../../calls/files/result-links.ts'
import { MB } from '../../base/units/units.ts'

const MAX_IMAGE_BYTES = 50 * MB
const FETCH_MS = 60_000

/**
 * Returns the images in the format that the caller wants. The caller has paid for them by now, so an image that cannot be
 * fetched or stored is returned as the provider sent it, with a note.
 */
export async function deliver(
  images: readonly OutputImage[],
  { input: { responseFormat }, tempFiles }: { input: ImageCall; tempFiles: TempFiles },
  call: Call,
  services: Pick<CallServices, 'callerUrls' | 'files' | 'links'>,
): Promise<OutputImage[]> {
  const delivered: OutputImage[] = []
  for (const image of images) {
    const { url, base64, ...reported } = image
    if (responseFormat === 'b64_json' && url)
      delivered.push({ ...(await inlined(url, tempFiles, call, services)), ...reported })
    else if (responseFormat === 'url' && base64)
      delivered.push({ ...(await storeImage(base64, call, services)), ...reported })
    else delivered.push(image)
  }
  return delivered
}

/** The provider chose this URL, but the gateway fetches it as carefully as the URL of a caller. */
async function inlined(
  url: string,
  tempFiles: TempFiles,
  call: Call,
  services: Pick<CallServices, 'callerUrls'>,
): Promise<OutputImage> {
  try {
    const limits = { maxBytes: MAX_IMAGE_BYTES, timeoutMs: FETCH_MS, signal: call.signal }
    const { status, body } = await services.callerUrls.get({ url, ...limits }, ['data'])
    if (status === 200) return { base64: await toBase64(body, tempFiles) }
    await body[Symbol.asyncIterator]().return?.()
  } catch (error) {
    if (call.signal.aborted) throw error
  }
  note(call, 'the image could not be fetched from the URL of the provider')
  return { url }
}

async function storeImage(
  base64: TempBytes,
  call: Call,
  services: Pick<CallServices, 'files' | 'links'>,
): Promise<OutputImage> {
  if (keepsNothing(call.caller.policy)) {
    note(call, "the data policy 'zero_retention' allows no link to a stored image")
    return { base64 }
  }
  const file = { name: `image.${measure(base64).format ?? 'bin'}`, bytes: bytesOf(base64) }
  try {
    const { caller, record } = call
    const stored = await keepResult({ ...file, endUser: record.labels.endUser }, caller, services.files)
    return { url: linkTo(stored, services.links) }
  } catch (error) {
    if (call.signal.aborted) throw error
    note(call, 'there was no space to store the image for a link')
    return { base64 }
  }
}

function note(call: Call, reason: string): void {
  call.record.note([{ field: 'response_format', action: 'dropped', reason }])
}
