import { HEAD_BYTES } from '../../base/sniff/head-bytes.ts'
import { ByteQueue } from '../../base/bytes/byte-queue.ts'
import type { ImageCall } from '../../translation/dialects/image-codec.ts'
import { dimensionsOf } from './cost.ts'
import type { MadeImages } from './made-images.ts'
import { describe } from './output-images.ts'
import type { Call } from '../../calls/call.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { MB } from '../../base/units/units.ts'

const MAX_IMAGE_BYTES = 50 * MB
const INSPECT_MS = 5_000
const EXTENSION = /\.(png|jpe?g|webp|gif|svg)$/i

/**
 * Reads the first bytes of an image that the provider returned as a URL, if neither the provider nor the caller states its size
 * or format. Some images are billed by size. If this fails, the image is returned anyway.
 */
export async function inspectImageUrl(
  made: MadeImages,
  input: ImageCall,
  call: Call,
  services: Pick<CallServices, 'callerUrls'>,
): Promise<void> {
  const url = made.images[0]?.url
  if (url === undefined || areBothReported(made, input, url)) return
  const head = await headOf(url, call, services).catch(() => undefined)
  if (!head) return
  const { size, format } = describe(head)
  made.size = size ?? made.size
  made.outputFormat = format ?? made.outputFormat
}

function areBothReported({ size, outputFormat }: MadeImages, input: ImageCall, url: string): boolean {
  const hasSize = dimensionsOf(size) !== undefined || dimensionsOf(input.size) !== undefined
  return hasSize && (outputFormat ?? namedFormat(url, input)) !== undefined
}

/** The format by the extension of the URL, or as the caller requested it. */
export function namedFormat(url: string, { extra }: ImageCall): string | undefined {
  const extension = EXTENSION.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase()
  return (
    extension?.replace('jpg', 'jpeg') ?? (typeof extra.output_format === 'string' ? extra.output_format : undefined)
  )
}

async function headOf(
  url: string,
  call: Call,
  services: Pick<CallServices, 'callerUrls'>,
): Promise<Buffer | undefined> {
  const limits = { maxBytes: MAX_IMAGE_BYTES, timeoutMs: INSPECT_MS, signal: call.signal }
  const { status, body } = await services.callerUrls.get({ url, ...limits }, ['data'])
  const buffered = new ByteQueue()
  for await (const chunk of body) {
    if (status === 200) buffered.push(chunk)
    if (status !== 200 || buffered.length >= HEAD_BYTES) break
  }
  return buffered.length > 0 ? buffered.takeAll() : undefined
}
